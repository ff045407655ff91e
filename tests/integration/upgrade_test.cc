// `Upgrade` of a running agent: under load, in both ways of replacement, and when the new file
// fails.
#include <catch2/catch.hpp>
#include <set>

#include "longshore/echo/v1.pb.h"
#include "tests/integration/control_requests.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/other_build.h"
#include "tests/support/process_figures.h"
#include "tests/support/steady_caller.h"
#include "tests/support/test_client.h"
#include "tests/support/upgrade_count.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

namespace messages = longshore::admin::v1;
using Catch::Matchers::Contains;

const std::string kEchoFile = built_module("echo");

// The hostile modules in the agent, with an endpoint.
void configure_hostile(const AgentDirectory& directory, const std::string& file,
                       const std::string& more = {}) {
  directory.configure("[modules.hostile]\nlibrary = \"" + file + "\"\n" + more +
                      "[endpoints.hostile]\naddress = \"unix://" +
                      (directory / "hostile/hostile.sock") +
                      "\"\nservices = [\"hostile.v1.Hostile\"]\n");
}

}  // namespace

TEST_CASE("No call over sockets fails during upgrades between two files, and nothing piles up",
          "[plain]") {
  AgentDirectory directory;
  const std::string other = directory / "longshore-echo-2.so";
  write_other_build(kEchoFile, other);
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  const std::string echo = "longshore.echo.v1.Echo/";
  echo::v1::WaitRequest wait;
  wait.set_milliseconds(2);
  SteadyCaller says(directory.echo_socket(), echo + "Say", say("here"));
  SteadyCaller says_at_once(directory.echo_socket(), echo + "SayAtOnce", say("here"));
  SteadyCaller waits(directory.echo_socket(), echo + "Wait", wait.SerializeAsString());
  SteadyCaller waits_async(directory.echo_socket(), echo + "WaitAsync", wait.SerializeAsString());

  std::set<std::string> versions;
  const auto replace = [&](int i) {
    const Upgraded upgraded = upgrade(directory, "echo", i % 2 == 0 ? other : kEchoFile);
    INFO(upgraded.text);
    REQUIRE(upgraded.code == StatusCode::kOk);
    REQUIRE(upgraded.response.changed());
    versions.insert(upgraded.response.version());
  };
  for (int i = 0; i < 20; ++i) replace(i);
  const size_t descriptors = open_descriptors(agent.id());
  const size_t memory = own_memory_kib(agent.id());
  for (int i = 0; i < upgrades(); ++i) replace(i);
  CHECK(open_descriptors(agent.id()) <= descriptors + 2);  // one that is just being read
  if (kMemoryTellsLeaks) CHECK(own_memory_kib(agent.id()) < memory + 4096);
  CHECK(versions == std::set<std::string>{"0.1.0", "9.9.9"});
  CHECK(module_of(directory, "echo").upgrades() == upgrades() + 20);
  for (SteadyCaller* each : {&says, &says_at_once, &waits, &waits_async}) {
    CHECK(each->end() == "");
    CHECK(each->calls() > 0);
  }
  CHECK(agent.stop() == 0);
}

TEST_CASE("Calls wait while the only instance of a module is replaced, and none fails") {
  AgentDirectory directory;
  const std::string first = hostile_module("hands_over");
  const std::string other = directory / "other.so";
  write_other_build(first, other, "1.0", "2.0");
  configure_hostile(directory, first);
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  SteadyCaller caller(directory / "hostile/hostile.sock", "hostile.v1.Hostile/Do", "");
  SteadyCaller another(directory / "hostile/hostile.sock", "hostile.v1.Hostile/Do", "");
  for (int i = 0; i < upgrades(); ++i) {
    const Upgraded upgraded = upgrade(directory, "hostile", i % 2 == 0 ? other : first);
    INFO(upgraded.text);
    REQUIRE(upgraded.code == StatusCode::kOk);
    CHECK(upgraded.response.version_before() == (i % 2 == 0 ? "1.0" : "2.0"));
  }
  CHECK(caller.end() == "");
  CHECK(another.end() == "");
  CHECK(caller.last_answer() == "got: two parts");
  CHECK(agent.stop() == 0);
}

TEST_CASE("A file that does not start, or is of another module, leaves the old one serving") {
  AgentDirectory directory;
  configure_hostile(directory, hostile_module("behaves"));
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  SteadyCaller caller(directory / "hostile/hostile.sock", "hostile.v1.Hostile/Do", "");
  const std::string before = module_of(directory, "hostile").sha256();

  const Upgraded fails = upgrade(directory, "hostile", hostile_module("start_fails"));
  CHECK(fails.code == StatusCode::kFailedPrecondition);
  CHECK_THAT(fails.text, Contains("is put back as it was"));
  const Upgraded stranger = upgrade(directory, "hostile", kEchoFile);
  CHECK(stranger.code == StatusCode::kInvalidArgument);
  CHECK_THAT(stranger.text, Contains("is the module \"longshore-echo\""));
  CHECK(upgrade(directory, "hostile", hostile_module("wrong_magic")).code != StatusCode::kOk);
  CHECK(upgrade(directory, "hostile", "relative.so").code == StatusCode::kInvalidArgument);
  CHECK(upgrade(directory, "hostile", directory / "none.so").code != StatusCode::kOk);
  const Upgraded misspelt = upgrade(directory, "hostil", "");
  CHECK(misspelt.code == StatusCode::kNotFound);
  CHECK_THAT(misspelt.text, Contains("did you mean hostile?"));

  CHECK(caller.end() == "");
  CHECK(module_of(directory, "hostile").sha256() == before);
  CHECK(module_of(directory, "hostile").state() == "serving");
  CHECK(agent.stop() == 0);
}

TEST_CASE("A file that was given holds until the next reload") {
  AgentDirectory directory;
  const std::string other = directory / "longshore-echo-2.so";
  write_other_build(kEchoFile, other);
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  const Upgraded upgraded = upgrade(directory, "echo", other);
  CHECK(upgraded.code == StatusCode::kOk);
  CHECK(upgraded.response.until_reload());
  CHECK(upgraded.response.images_left() > 0);
  CHECK(module_of(directory, "echo").file() == other);
  REQUIRE(agent.reload());
  CHECK(module_of(directory, "echo").file() == kEchoFile);
  const Upgraded same = upgrade(directory, "echo", "");
  CHECK(same.code == StatusCode::kOk);
  CHECK_FALSE(same.response.changed());
  CHECK_FALSE(same.response.until_reload());
  CHECK(agent.stop() == 0);
}

TEST_CASE("The steps of a module's life are shown with their times") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  const messages::Module echo = module_of(directory, "echo");
  std::string steps;
  for (const auto& step : echo.steps()) {
    steps += step.state() + " ";
    CHECK(step.at_unix_ms() > 0);
    CHECK(step.took_us() >= 0);
  }
  CHECK(steps == "found inspected loaded created started serving ");
  CHECK(echo.violations() == 0);
  CHECK_FALSE(echo.degraded());
  CHECK(agent.stop() == 0);
}
