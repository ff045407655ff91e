// What a service manager hears that watches over the agent by its heartbeat.
#include <catch2/catch.hpp>
#include <csignal>
#include <optional>
#include <string>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"

using namespace longshore;
using namespace longshore::test;

namespace {

bool beats(AgentProcess& agent) {
  for (int i = 0; i < 4; ++i) {
    if (!agent.await_state("WATCHDOG=1")) return false;
  }
  return true;
}

struct WatchedAgent {
  explicit WatchedAgent(const std::string& more = {}) {
    directory.configure(more);
    agent.emplace(directory, AgentProcess::Options{.variables = {"WATCHDOG_USEC=200000"}});
    INFO(directory.log());
    REQUIRE(agent->serves());
  }

  AgentDirectory directory;
  std::optional<AgentProcess> agent;
};

std::string hostile(const AgentDirectory& directory, const std::string& module) {
  return "[modules.hostile]\nlibrary = \"" + hostile_module(module) +
         "\"\nstart_timeout = \"3s\"\n[endpoints.hostile]\naddress = \"unix://" +
         (directory / "hostile/hostile.sock") + "\"\nservices = [\"hostile.v1.Hostile\"]\n";
}

}  // namespace

TEST_CASE("The agent tells a service manager that watches that it is alive, until it ends") {
  WatchedAgent world;
  CHECK(beats(*world.agent));
  CHECK(world.agent->reload());
  CHECK(beats(*world.agent));
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("A call that is stuck in a module does not end the heartbeat") {
  WatchedAgent world;
  world.directory.configure(hostile(world.directory, "hangs_on_request"));
  REQUIRE(world.agent->reload());
  TestClient client(world.directory / "hostile/hostile.sock");
  const auto stuck = client.start("hostile.v1.Hostile/Do", "hang");
  CHECK(client.call("hostile.v1.Hostile/Do", "")->code() == StatusCode::kOk);
  CHECK(beats(*world.agent));
  CHECK_FALSE(stuck->finished());
}

TEST_CASE("A reload that waits for a module that does not start does not end it either") {
  WatchedAgent world;
  world.directory.configure(hostile(world.directory, "start_hangs"));
  world.agent->signal(SIGHUP);
  REQUIRE(world.agent->await_state("RELOADING=1"));
  CHECK(beats(*world.agent));
  CHECK(world.agent->await_state("READY=1"));  // the beats came before it
}
