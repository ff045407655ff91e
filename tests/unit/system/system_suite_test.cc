// What the system group promises, the same on every system and on the fake.
#include <catch2/catch.hpp>
#include <tuple>

#include "tests/support/outcome.h"
#include "tests/unit/system/worlds.h"

namespace longshore::system {
namespace {

using test::outcome;
using Worlds = std::tuple<SystemWorld, FakeWorld>;
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
  world.put(whole("a"), {kRunning, StartType::kAutomatic});
  world.put(whole("b"), {kStopped, StartType::kManual});
  world.put(whole("c"), {kStopped, StartType::kDisabled});
  const auto service = service_of(world, {});
  const auto a = service.get_service("a", {});
  REQUIRE(a);
  CHECK(a->display_name == "The service " + whole("a"));
  CHECK(a->status == kRunning);
  CHECK(a->start_type == StartType::kAutomatic);
  CHECK(service.get_service(other_spelling("b"), {})->start_type == StartType::kManual);
  CHECK(service.get_service("b", {})->status == kStopped);
  CHECK(service.get_service("c", {})->start_type == StartType::kDisabled);
  CHECK(outcome(service.get_service("unknown", {})) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("StartService starts a service once", "", Worlds) {
  TestType world;
  world.put(whole("a"), {kStopped});
  const auto service = service_of(world, {"a"});
  CHECK(outcome(service.start_service("a", {})) == "OK");
  CHECK(world.runs(whole("a")));
  CHECK(outcome(service.start_service(other_spelling("a"), {})) == "OK");
  CHECK(world.done() == Names{"start " + whole("a")});
}

TEMPLATE_LIST_TEST_CASE("StopService stops a service once", "", Worlds) {
  TestType world;
  world.put(whole("a"), {kRunning});
  const auto service = service_of(world, {whole("a")});
  CHECK(outcome(service.stop_service("a", false, {})) == "OK");
  CHECK_FALSE(world.runs(whole("a")));
  CHECK(outcome(service.stop_service("a", true, {})) == "OK");
  CHECK(world.done() == Names{"stop " + whole("a")});
}

TEMPLATE_LIST_TEST_CASE("what cannot start says so", "", Worlds) {
  TestType world;
  world.put(whole("broken"), {kStopped, StartType::kManual, {}, /*fails=*/true});
  world.put(whole("masked"), {kStopped, StartType::kDisabled});
  const auto service = service_of(world, {"*"});
  CHECK(outcome(service.start_service("broken", {})) == "FAILED_PRECONDITION");
  CHECK(outcome(service.start_service("masked", {})) == "FAILED_PRECONDITION");
  CHECK(outcome(service.start_service("unknown", {})) == "NOT_FOUND");
  CHECK(outcome(service.stop_service("unknown", false, {})) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("only allowed services are started and stopped", "", Worlds) {
  TestType world;
  world.put(whole("a"), {kStopped});
  world.put(whole("b"), {kRunning});
  const auto names = GENERATE(Names{}, Names{"c"}, Names{"a.serviceX", "aa", "b.socket"});
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
  world.put(whole("a"), {kRunning, StartType::kManual, {whole("b"), whole("c"), whole("d")}});
  world.put(whole("b"), {kRunning});
  world.put(whole("c"), {kStopped});
  world.put(whole("d"), {kRunning});
  const Result<void> stopped = service_of(world, {"*"}).stop_service("a", false, {});
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code() == StatusCode::kFailedPrecondition);
  CHECK(stopped.error().message() == "cannot stop the service \"" + whole("a") +
                                         "\": dependent services are not stopped: " + whole("b") +
                                         ", " + whole("d") +
                                         "; stop them first, or set force to have them stopped");
  CHECK(world.done().empty());
}

TEMPLATE_LIST_TEST_CASE("dependants that are stopped do not hinder", "", Worlds) {
  TestType world;
  world.put(whole("a"), {kRunning, StartType::kManual, {whole("b")}});
  world.put(whole("b"), {kStopped});
  CHECK(outcome(service_of(world, {"a"}).stop_service("a", false, {})) == "OK");
  CHECK(world.done() == Names{"stop " + whole("a")});
}

TEMPLATE_LIST_TEST_CASE("force stops what needs the service first, leaves before branches", "",
                        Worlds) {
  TestType world;
  // d needs b and c, b needs c as well, and all need a.
  world.put(whole("a"), {kRunning, StartType::kManual, {whole("c"), whole("b")}});
  world.put(whole("b"), {kRunning, StartType::kManual, {whole("d")}});
  world.put(whole("c"), {kRunning, StartType::kManual, {whole("b"), whole("d"), "e.target"}});
  world.put(whole("d"), {kRunning});
  world.put("e.target", {kRunning});
  const auto service = service_of(world, {"*"});
  CHECK(outcome(service.stop_service("a", true, {})) == "OK");
  CHECK(world.done() == Names{"stop " + whole("d"), "stop " + whole("b"), "stop e.target",
                              "stop " + whole("c"), "stop " + whole("a")});
}

TEMPLATE_LIST_TEST_CASE("services that need each other are each stopped once", "", Worlds) {
  TestType world;
  world.put(whole("a"), {kRunning, StartType::kManual, {whole("b"), whole("a")}});
  world.put(whole("b"), {kRunning, StartType::kManual, {whole("a")}});
  CHECK(outcome(service_of(world, {"*"}).stop_service("a", true, {})) == "OK");
  CHECK(world.done() == Names{"stop " + whole("b"), "stop " + whole("a")});
}

TEMPLATE_LIST_TEST_CASE("force does not reach beyond what is allowed", "", Worlds) {
  TestType world;
  world.put(whole("a"), {kRunning, StartType::kManual, {whole("b")}});
  world.put(whole("b"), {kRunning, StartType::kManual, {"c.target"}});
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
  world.put(whole("a"), {kStopped, StartType::kManual, {}, false, /*hangs=*/true});
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
  CHECK_FALSE(world.runs(whole("a")));
}

TEMPLATE_LIST_TEST_CASE("a bad name is refused before anybody is asked", "", Worlds) {
  TestType world;
  const auto service = service_of(world, {"*"});
  const std::string name = GENERATE(from_range(bad_names()));
  CAPTURE(name);
  CHECK(outcome(service.get_service(name, {})) == "INVALID_ARGUMENT");
  CHECK(outcome(service.start_service(name, {})) == "INVALID_ARGUMENT");
  CHECK(outcome(service.stop_service(name, true, {})) == "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace longshore::system
