// Permissions and the audit log inside another program, which counts as the user that it runs as.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "embed/embedded_agent.h"
#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/observe/log_lines.h"

namespace longshore::embed {
namespace {

constexpr const char* kTellCaller = "hostile.v1.Hostile/Do";

struct AgentWithRules {
  std::string text(const std::string& rules) const {
    return "[agent]\nstate_dir = \"" + (folder / "state") + "\"\n[agent.audit]\nfile = \"" +
           audit_file + "\"\n[modules.hostile]\nlibrary = \"" +
           test::hostile_module("tells_caller") + "\"\n" + rules;
  }
  static std::string rule(const std::string& who) {
    return "[modules.hostile.permissions.one]\n" + who + "\nmethods = [\"hostile.v1.Hostile\"]\n";
  }

  test::TemporaryDirectory folder;
  const std::string audit_file = folder / "audit.jsonl";
};

}  // namespace

TEST_CASE("A program may call what the module's rules allow its user") {
  AgentWithRules world;
  EmbeddedAgent::Options options;
  options.text = world.text(AgentWithRules::rule("users = [\"4294967294\"]"));
  auto agent = EmbeddedAgent::create(options);
  REQUIRE(agent);
  const Outcome refused = (*agent)->call(kTellCaller, "", {});
  CHECK(refused.code == StatusCode::kPermissionDenied);
  CHECK(refused.text ==
        "embedder may not call hostile.v1.Hostile/Do; modules.hostile.permissions in the "
        "configuration does not allow it");
  REQUIRE((*agent)->reload(
      world.text(AgentWithRules::rule("users = [\"" + std::to_string(geteuid()) + "\"]"))));
  CHECK((*agent)->call(kTellCaller, "", {}).code == StatusCode::kOk);
  REQUIRE((*agent)->reload(
      world.text(AgentWithRules::rule("groups = [\"" + std::to_string(getegid()) + "\"]"))));
  CHECK((*agent)->call(kTellCaller, "", {}).code == StatusCode::kOk);
  REQUIRE((*agent)->reload(world.text({})));
  CHECK((*agent)->call(kTellCaller, "", {}).code == StatusCode::kOk);
  CHECK((*agent)->end());

  const auto lines = test::lines_of(world.audit_file);
  REQUIRE(lines.size() >= 5);
  CHECK(lines[1].find(R"("caller":"embedder")") != std::string::npos);
  CHECK(lines[1].find(R"("code":"PERMISSION_DENIED")") != std::string::npos);
  CHECK(lines.back().find(R"("code":"OK")") != std::string::npos);
}

TEST_CASE("An agent does not start on the state of another one") {
  const AgentWithRules world;
  EmbeddedAgent::Options options;
  options.text = world.text({});
  const auto first = EmbeddedAgent::create(options);
  REQUIRE(first);
  const auto second = EmbeddedAgent::create(options);
  REQUIRE_FALSE(second);
  CHECK(second.error().code() == StatusCode::kFailedPrecondition);
  CHECK(second.error().message().find(world.folder / "state") != std::string::npos);
  CHECK((*first)->end());
}

TEST_CASE("An audit log that cannot be opened is an error at the start") {
  AgentWithRules world;
  std::filesystem::create_directory(world.audit_file);
  EmbeddedAgent::Options options;
  options.text = world.text({});
  const auto agent = EmbeddedAgent::create(options);
  REQUIRE_FALSE(agent);
  CHECK(agent.error().message().find(world.audit_file) != std::string::npos);
}

}  // namespace longshore::embed
