// One allocation of the agent fails: the first, the second, and so on, up to 20,000 in each part of
// its life. Each of calls; of the rest every 400th, in tests/run_tests --all every 50th, and with
// LONGSHORE_LONG=1 each.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/faults/fault_injection.h"
#include "tests/faults/memory_faults_agent.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/is_long.h"
#include "tests/support/is_thorough.h"
#include "tests/support/other_build.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

uint64_t step() { return is_long() ? 1 : is_thorough() ? 50 : 400; }

}  // namespace

TEST_CASE("Calls are answered, or end with their connection, when an allocation fails") {
  MemoryFaultsAgent agent;
  agent.fail_each(1, [&] { agent.make_calls(); });
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE("A reload is done or refused when an allocation fails") {
  const bool by_signal = GENERATE(false, true);
  CAPTURE(by_signal);
  MemoryFaultsAgent agent;
  agent.fail_each(step(), [&] { agent.reload(by_signal); });
  CHECK((by_signal || agent.acknowledged_reloads() > 0));
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE("An upgrade is done or refused when an allocation fails") {
  MemoryFaultsAgent agent;
  const std::string first = built_module("echo");
  const std::string other = agent.directory() / "longshore-echo-2.so";
  write_other_build(first, other, "0.1.0", "9.9.9");
  bool is_other = false;
  agent.fail_each(step(), [&] {
    is_other = !is_other;
    agent.upgrade_echo(is_other ? other : first, is_other ? "9.9.9" : "0.1.0");
  });
  CHECK(agent.acknowledged_upgrades() > 0);
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE("A start succeeds, or ends with a sentence, when an allocation fails") {
  FaultInjection faults;
  const AgentDirectory directory;
  Directories directories(directory);
  uint64_t most = 1;
  int started = 0;
  for (uint64_t number = 1; number <= std::min(most, kLast); number += step()) {
    if (number > 1) fs::resize_file(directory.log_file(), 0);
    faults.fail_allocations(number);
    AgentProcess agent(directory, {.variables = faults.variables()});
    most = std::max(most, faults.allocations());
    faults.count_allocations();
    if (agent.serves()) directories.make();
    const int code = agent.serves() ? agent.stop() : agent.wait();
    INFO(directory.log());
    CAPTURE(number, agent.serves());
    if (agent.serves() && code == 0) {
      ++started;
    } else {
      // 127 is the dynamic linker's; and there may be no memory for a reserve.
      const bool aborts = code == 128 + SIGABRT;
      REQUIRE(((code >= 1 && code <= 3) || code == 127 || aborts));
      if (aborts) CHECK(directory.log().find("longshored: out of memory") != std::string::npos);
      REQUIRE(directory.log().find("longshored: ") != std::string::npos);
    }
  }
  CHECK(started > 0);
  // Those that ended have left nothing that keeps the next one from its work.
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  CHECK(fs::exists(directories.make()));
  CHECK(call(directory.echo_socket(), kEchoService + "Say", say("here")).code == StatusCode::kOk);
  directories.check();
  CHECK(agent.stop() == 0);
}
