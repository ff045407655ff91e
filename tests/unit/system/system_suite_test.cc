// What the system group promises, the same on a bus and on the fake.
#include <catch2/catch.hpp>
#include <tuple>

#include "tests/support/outcome.h"
#include "tests/unit/system/worlds.h"

namespace longshore::system {
namespace {

using test::outcome;
using Worlds = std::tuple<BusWorld, FakeWorld>;
using Names = std::vector<std::string>;
using std::chrono::milliseconds;

constexpr auto kRunning = ServiceStatus::kRunning;
constexpr auto kStopped = ServiceStatus::kStopped;

template <typename World>
SystemService service_of(World& world, const Names& allowed,
                         std::chrono::nanoseconds timeout = std::chrono::seconds(30)) {
  return {*AllowedServices::from(allowed), timeout, world.backend()};
}

TEMPLATE_LIST_TEST_CASE("GetService tells a service's name, state and start type", "", Worlds) {
  TestType world;
  world.put("a.service", {kRunning, StartType::kAutomatic});
  world.put("b.service", {kStopped, StartType::kManual});
  world.put("c.service", {kStopped, StartType::kDisabled});
  const auto service = service_of(world, {});
  const auto a = service.get_service("a", {});
  REQUIRE(a);
  CHECK(a->display_name == "The service a.service");
  CHECK(a->status == kRunning);
  CHECK(a->start_type == StartType::kAutomatic);
  CHECK(service.get_service("b.service", {})->start_type == StartType::kManual);
  CHECK(service.get_service("b", {})->status == kStopped);
  CHECK(service.get_service("c", {})->start_type == StartType::kDisabled);
  CHECK(outcome(service.get_service("unknown", {})) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("StartService starts a service once", "", Worlds) {
  TestType world;
  world.put("a.service", {kStopped});
  const auto service = service_of(world, {"a"});
  CHECK(outcome(service.start_service("a", {})) == "OK");
  CHECK(world.runs("a.service"));
  CHECK(outcome(service.start_service("a.service", {})) == "OK");
  CHECK(world.done() == Names{"start a.service"});
}

TEMPLATE_LIST_TEST_CASE("StopService stops a service once", "", Worlds) {
  TestType world;
  world.put("a.service", {kRunning});
  const auto service = service_of(world, {"a.service"});
  CHECK(outcome(service.stop_service("a", false, {})) == "OK");
  CHECK_FALSE(world.runs("a.service"));
  CHECK(outcome(service.stop_service("a", true, {})) == "OK");
  CHECK(world.done() == Names{"stop a.service"});
}

TEMPLATE_LIST_TEST_CASE("what cannot start says so", "", Worlds) {
  TestType world;
  world.put("broken.service", {kStopped, StartType::kManual, {}, /*fails=*/true});
  world.put("masked.service", {kStopped, StartType::kDisabled});
  const auto service = service_of(world, {"*"});
  CHECK(outcome(service.start_service("broken", {})) == "FAILED_PRECONDITION");
  CHECK(outcome(service.start_service("masked", {})) == "FAILED_PRECONDITION");
  CHECK(outcome(service.start_service("unknown", {})) == "NOT_FOUND");
  CHECK(outcome(service.stop_service("unknown", false, {})) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("only allowed services are started and stopped", "", Worlds) {
  TestType world;
  world.put("a.service", {kStopped});
  world.put("b.service", {kRunning});
  const auto names = GENERATE(Names{}, Names{"c"}, Names{"a.serviceX", "A", "b.socket"});
  const auto service = service_of(world, names);
  const Result<void> started = service.start_service("a", {});
  CHECK(outcome(started) == "PERMISSION_DENIED");
  CHECK_THAT(started.error().message(), Catch::Contains("allowed_services"));
  CHECK(outcome(service.stop_service("b", true, {})) == "PERMISSION_DENIED");
  CHECK(outcome(service.start_service("unknown", {})) == "PERMISSION_DENIED");
  CHECK(outcome(service.get_service("a", {})) == "OK");
  CHECK(world.done().empty());
}

TEMPLATE_LIST_TEST_CASE("running dependants are named and nothing is stopped", "", Worlds) {
  TestType world;
  world.put("a.service", {kRunning, StartType::kManual, {"b.service", "c.service", "d.service"}});
  world.put("b.service", {kRunning});
  world.put("c.service", {kStopped});
  world.put("d.service", {kRunning});
  const Result<void> stopped = service_of(world, {"*"}).stop_service("a", false, {});
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code() == StatusCode::kFailedPrecondition);
  CHECK(stopped.error().message() ==
        "cannot stop the service \"a.service\": dependent services are not stopped: b.service, "
        "d.service; stop them first, or set force to have them stopped");
  CHECK(world.done().empty());
}

TEMPLATE_LIST_TEST_CASE("dependants that are stopped do not hinder", "", Worlds) {
  TestType world;
  world.put("a.service", {kRunning, StartType::kManual, {"b.service"}});
  world.put("b.service", {kStopped});
  CHECK(outcome(service_of(world, {"a"}).stop_service("a", false, {})) == "OK");
  CHECK(world.done() == Names{"stop a.service"});
}

TEMPLATE_LIST_TEST_CASE("force stops what needs the service first, leaves before branches", "",
                        Worlds) {
  TestType world;
  // d needs b and c, b needs c as well, and all need a.
  world.put("a.service", {kRunning, StartType::kManual, {"c.service", "b.service"}});
  world.put("b.service", {kRunning, StartType::kManual, {"d.service"}});
  world.put("c.service", {kRunning, StartType::kManual, {"b.service", "d.service", "e.target"}});
  world.put("d.service", {kRunning});
  world.put("e.target", {kRunning});
  const auto service = service_of(world, {"*"});
  CHECK(outcome(service.stop_service("a", true, {})) == "OK");
  CHECK(world.done() == Names{"stop d.service", "stop b.service", "stop e.target", "stop c.service",
                              "stop a.service"});
}

TEMPLATE_LIST_TEST_CASE("services that need each other are each stopped once", "", Worlds) {
  TestType world;
  world.put("a.service", {kRunning, StartType::kManual, {"b.service", "a.service"}});
  world.put("b.service", {kRunning, StartType::kManual, {"a.service"}});
  CHECK(outcome(service_of(world, {"*"}).stop_service("a", true, {})) == "OK");
  CHECK(world.done() == Names{"stop b.service", "stop a.service"});
}

TEMPLATE_LIST_TEST_CASE("force does not reach beyond what is allowed", "", Worlds) {
  TestType world;
  world.put("a.service", {kRunning, StartType::kManual, {"b.service"}});
  world.put("b.service", {kRunning, StartType::kManual, {"c.target"}});
  world.put("c.target", {kRunning});
  const Result<void> stopped = service_of(world, {"a", "b"}).stop_service("a", true, {});
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code() == StatusCode::kPermissionDenied);
  CHECK(stopped.error().object() == "c.target");
  CHECK(world.done().empty());
  CHECK(outcome(service_of(world, {"a", "b", "c.target"}).stop_service("a", true, {})) == "OK");
}

TEMPLATE_LIST_TEST_CASE("waiting ends with the service's time limit and the call's deadline", "",
                        Worlds) {
  TestType world;
  world.put("a.service", {kStopped, StartType::kManual, {}, false, /*hangs=*/true});
  Deadline deadline;
  SECTION("the service's") {
    const Result<void> started =
        service_of(world, {"a"}, milliseconds(50)).start_service("a", deadline);
    CHECK(outcome(started) == "DEADLINE_EXCEEDED");
  }
  SECTION("the call's") {
    deadline.time = Deadline::Clock::now() + milliseconds(50);
    CHECK(outcome(service_of(world, {"a"}).start_service("a", deadline)) == "DEADLINE_EXCEEDED");
  }
  SECTION("cancelled") {
    int asked = 0;
    deadline.cancelled = [&] { return ++asked > 10; };
    CHECK(outcome(service_of(world, {"a"}).start_service("a", deadline)) == "CANCELLED");
  }
  CHECK_FALSE(world.runs("a.service"));
}

TEMPLATE_LIST_TEST_CASE("a bad name is refused before anybody is asked", "", Worlds) {
  TestType world;
  const auto service = service_of(world, {"*"});
  const std::string name =
      GENERATE("", "a b", "a/b", "../a", "a\nb", "x.mount", "x@", "caf\xc3\xa9");
  CAPTURE(name);
  CHECK(outcome(service.get_service(name, {})) == "INVALID_ARGUMENT");
  CHECK(outcome(service.start_service(name, {})) == "INVALID_ARGUMENT");
  CHECK(outcome(service.stop_service(name, true, {})) == "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace longshore::system
