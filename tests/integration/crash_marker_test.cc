// Modules that take the agent with them while they start, and the agent after that.
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "tests/integration/control_requests.h"
#include "tests/support/build_tree.h"
#include "tests/support/read_file.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

// Until the log has told so often that the module hostile is being started.
void await_starts(const AgentDirectory& directory, int count) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  const std::string line = "starting module module=hostile";
  for (int seen = 0; seen < count;) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    const std::string log = directory.log();
    seen = 0;
    for (size_t at = log.find(line); at != log.npos; at = log.find(line, at + 1)) ++seen;
  }
}

}  // namespace

TEST_CASE("A module that ends the agent twice while it starts is quarantined, the others serve") {
  AgentDirectory directory;
  const std::string crashing = directory / "module.so";
  fs::copy_file(hostile_module("crash_in_start"), crashing);
  directory.configure("[modules.hostile]\nlibrary = \"" + crashing + "\"\n");
  for (int crash = 0; crash < 2; ++crash) {
    AgentProcess agent(directory);
    CHECK_FALSE(agent.serves());
    CHECK(agent.wait() > 0);
  }
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  const admin::v1::Module quarantined = module_of(directory, "hostile");
  CHECK(quarantined.state() == "quarantined");
  CHECK_THAT(quarantined.reason(),
             Contains("2 times in a row") && Contains("longshorectl upgrade hostile"));
  CHECK(module_of(directory, "echo").state() == "serving");

  fs::remove(crashing);
  fs::copy_file(hostile_module("behaves"), crashing);
  CHECK(upgrade(directory, "hostile", "").code == StatusCode::kOk);
  CHECK(module_of(directory, "hostile").state() == "serving");
  CHECK(agent.stop() == 0);
}

TEST_CASE("An agent that is killed once, or ended while a module starts, loads it again") {
  AgentDirectory directory;
  directory.configure("[modules.hostile]\nlibrary = \"" + hostile_module("start_hangs") +
                      "\"\nstart_timeout = \"1h\"\n");
  int starts = 0;
  for (const int signal : {SIGKILL, SIGTERM, SIGKILL, SIGTERM}) {
    AgentProcess agent(directory, {.until_serving = false});
    await_starts(directory, ++starts);
    agent.signal(signal);
    CHECK(agent.wait() == (signal == SIGKILL ? 128 + SIGKILL : 0));
  }
  CHECK(directory.log().find("quarantined") == std::string::npos);
}

TEST_CASE("A module whose start is left behind stays marked until the agent ends in order") {
  AgentDirectory directory;
  directory.configure("[modules.hostile]\nlibrary = \"" + hostile_module("start_hangs") +
                      "\"\nstart_timeout = \"200ms\"\n");
  const auto is_marked = [&] {
    return read_file(directory / "state/.crash-markers").find(" hostile ") != std::string::npos;
  };
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  CHECK(module_of(directory, "hostile").state() == "failed");
  CHECK(is_marked());
  CHECK(agent.stop() == 0);
  CHECK_FALSE(is_marked());
}

TEST_CASE("A reload that is asked for while modules start waits until the agent serves") {
  AgentDirectory directory;
  directory.configure("[modules.hostile]\nlibrary = \"" + hostile_module("start_hangs") +
                      "\"\nstart_timeout = \"1s\"\n");
  AgentProcess agent(directory, {.until_serving = false});
  await_starts(directory, 1);
  agent.signal(SIGHUP);
  for (const std::string state : {"READY=1", "RELOADING=1", "READY=1"}) {
    CHECK(agent.await_state(state));
  }
}

TEST_CASE("In safe mode no module is loaded, and the control socket says so") {
  AgentDirectory directory;
  directory.configure("[modules.hostile]\nlibrary = \"" + hostile_module("crash_in_create") +
                      "\"\n");
  AgentProcess agent(directory, {.more_words = {"--safe-mode"}});
  INFO(directory.log());
  REQUIRE(agent.serves());
  for (const std::string name : {"echo", "hostile", "filesystem"}) {
    CHECK(module_of(directory, name).state() == "inspected");
    CHECK(module_of(directory, name).reason() == "not loaded: safe mode");
  }
  CHECK_FALSE(fs::exists(directory.echo_socket()));
  CHECK_FALSE(fs::exists(directory.filesystem_socket("v1")));
  const Upgraded refused = upgrade(directory, "echo", "");
  CHECK(refused.code == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.text, Contains("safe mode"));
  CHECK_THAT(directory.log(), Contains("safe mode: no module is loaded"));
  CHECK(agent.stop() == 0);
}
