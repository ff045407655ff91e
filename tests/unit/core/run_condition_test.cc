// What observers of a condition are told, and which conditions controllers name.
#include "services/run_condition.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "services/named_conditions.h"

namespace longshore::services {
namespace {

using namespace std::chrono_literals;

struct Count final : RunCondition::Observer {
  void condition_changed() override { ++changes; }
  int changes = 0;
};

TEST_CASE("Who observes a condition is told of each change, and not of what is as before") {
  RunCondition condition("it is not known yet");
  const auto count = std::make_shared<Count>();
  condition.observe(count);
  condition.observe(count);
  condition.fail("it is not known yet");
  CHECK(count->changes == 0);
  condition.fail("the driver is lost");
  CHECK(count->changes == 1);
  // Any part of it is a change.
  const auto fence = router::Clock::now();
  condition.fail("the driver is lost", fence);
  condition.fail("the driver is lost", fence);
  CHECK(count->changes == 2);
  condition.fail("the driver is lost", fence + 1s);
  condition.fail({.reason = "the driver is lost", .fence = fence + 1s, .is_left = true});
  CHECK(count->changes == 4);
  condition.meet();
  condition.meet();
  CHECK(count->changes == 5);
  CHECK(condition.state().is_met);
}

TEST_CASE("A condition is there for as long as a controller names it") {
  NamedConditions<std::string> conditions;
  CHECK_FALSE(conditions.find("lease"));
  const auto shared = conditions.name("b", "lease") = std::make_shared<RunCondition>("not yet");
  CHECK(conditions.name("a", "lease") == shared);
  conditions.name("c", "other") = std::make_shared<RunCondition>("not yet");
  CHECK(conditions.controllers_of("lease") == std::vector<std::string>{"a", "b"});
  CHECK(conditions.controllers_of("none").empty());
  CHECK(conditions.names("c", "other"));
  CHECK_FALSE(conditions.names("c", "lease"));

  const ModuleStates all{{.name = "a"}, {.name = "b"}, {.name = "c"}};
  CHECK_FALSE(conditions.keep_named_by(all));
  conditions.unname("a");
  CHECK_FALSE(conditions.keep_named_by(all));
  conditions.name("b", "other");
  CHECK(conditions.keep_named_by(all));
  CHECK_FALSE(conditions.find("lease"));
  CHECK(conditions.find("other"));
  CHECK(conditions.keep_named_by({}));
  CHECK(conditions.all().empty());
}

}  // namespace
}  // namespace longshore::services
