// A server that says nothing, behind paths of which no two are the same: a FUSE mount without a
// server. What else the agent does goes on.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/silent_mount.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

constexpr const char* kPathExists = "v1.Filesystem/PathExists";

size_t stuck_calls(const AgentDirectory& directory) {
  const std::string log = directory.log();
  size_t count = 0;
  for (size_t at = log.find("a call is stuck"); at != log.npos;
       at = log.find("a call is stuck", at + 1)) {
    ++count;
  }
  return count;
}

// The socket of the module filesystem. Near the top: its path may not be long.
std::string filesystem_socket() {
  return fs::temp_directory_path() / "run/csi-proxy/filesystem-v1/csi-proxy-filesystem-v1.sock";
}

// An agent that serves the module filesystem, below the directory's root; `more` of its table.
void configure(const AgentDirectory& directory, const std::string& more) {
  directory.write_configuration(
      "[agent]\nrun_dir = \"" + (fs::temp_directory_path() / "run").string() +
      "\"\ncontrol_dir = \"" + (directory / "control") + "\"\nstate_dir = \"" +
      (directory / "state") + "\"\nmodule_dirs = [\"" + built_modules() +
      "\"]\n[modules.filesystem]\nsettings.allowed_roots = [\"" + directory.root() + "\"]\n" +
      more);
}

}  // namespace

TEST_CASE("Calls for a silent server leave places for others, whatever paths lead to it") {
  if (!SilentMount::is_possible()) {
    std::puts("SKIPPED: no /dev/fuse here");
    return;
  }
  const std::string isolation = GENERATE(as<std::string>(), "in-process", "process");
  INFO(isolation);
  const AgentDirectory directory;
  const std::string socket = filesystem_socket();
  configure(directory, "isolation = \"" + isolation +
                           "\"\ncall_timeout = \"10m\"\n"
                           "methods.\"v1.Filesystem/IsSymlink\".timeout = \"1s\"\n");
  fs::create_directory(directory.root() + "/dead");
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient slow(socket);
  std::vector<std::shared_ptr<Answer>> waiting;
  const auto asked = [&](const std::string& name) {
    return WireWriter().text(1, directory.root() + "/" + name);
  };
  {
    const SilentMount dead(directory.root() + "/dead");
    for (int i = 0; i < 80; ++i) {
      waiting.push_back(
          slow.start(kPathExists, asked("dead/" + std::to_string(i)), with_timeout(5min)));
    }
    const auto late = slow.call("v1.Filesystem/IsSymlink", asked("dead/late"));
    CHECK(late->code() == StatusCode::kDeadlineExceeded);
    INFO(late->text());
    CHECK(late->text().find("it waited behind other calls for \"fuse ") != std::string::npos);
    TestClient healthy(socket);
    for (int i = 0; i < 20; ++i) {
      CHECK(healthy.call(kPathExists, asked("here-" + std::to_string(i)), with_timeout(20s))
                ->code() == StatusCode::kOk);
    }
  }
  // Its server gone, they come to their turn; the mount says that it has no server, or is gone too.
  for (const auto& each : waiting) {
    REQUIRE(slow.run_until([&] { return each->finished(); }));
    CHECK((each->code() == StatusCode::kOk || each->code() == StatusCode::kInternal));
  }
  CHECK(agent.stop() == 0);
}

TEST_CASE("A reload with another limit leaves to the calls that wait their turn") {
  if (!SilentMount::is_possible()) {
    std::puts("SKIPPED: no /dev/fuse here");
    return;
  }
  const std::string isolation = GENERATE(as<std::string>(), "in-process", "process");
  INFO(isolation);
  const AgentDirectory directory;
  const auto limit_to = [&](int calls) {
    configure(directory, "isolation = \"" + isolation +
                             "\"\ncall_timeout = \"10m\"\nmax_queued_calls = 1\n"
                             "max_calls_per_bulkhead = " +
                             std::to_string(calls) + "\n");
  };
  limit_to(2);
  fs::create_directory(directory.root() + "/dead");
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient client(filesystem_socket());
  std::vector<std::shared_ptr<Answer>> calls;
  const auto refused = [&](const std::string& why) {
    return std::ranges::count_if(calls, [&](const auto& each) {
      return each->finished() && each->code() == StatusCode::kResourceExhausted &&
             each->text().find(why) != std::string::npos;
    });
  };
  const auto start_six = [&] {
    for (int i = 0; i < 6; ++i) {
      const std::string name = "/dead/" + std::to_string(calls.size());
      calls.push_back(client.start(kPathExists, WireWriter().text(1, directory.root() + name),
                                   with_timeout(5min)));
    }
  };
  {
    const SilentMount dead(directory.root() + "/dead");
    start_six();
    CHECK(client.run_until([&] { return refused("2 calls of the module filesystem for") == 3; }));
    limit_to(1);
    REQUIRE(agent.reload());
    start_six();
    CHECK(client.run_until([&] { return refused("1 calls of the module filesystem for") == 4; }));
    CHECK(std::ranges::count_if(calls, [](const auto& each) { return each->finished(); }) == 7);
  }
  REQUIRE(client.run_until([&] {
    return std::ranges::all_of(calls, [](const auto& each) { return each->finished(); });
  }));
  CHECK(refused({}) == 7);
  CHECK(agent.stop() == 0);
}

TEST_CASE("A silent server takes as many threads as may be stuck, whatever paths lead to it") {
  if (!SilentMount::is_possible()) {
    std::puts("SKIPPED: no /dev/fuse here");
    return;
  }
  const AgentDirectory directory;
  const std::string socket = filesystem_socket();
  configure(directory, "max_stuck_calls = 2\n");
  for (const std::string name : {"dead", "deaf"}) {
    fs::create_directory(directory.root() + "/" + name);
  }
  fs::create_directory_symlink(directory.root() + "/dead", directory.root() + "/link");
  fs::create_directory_symlink("link/below", directory.root() + "/link-to-link");
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  {
    const SilentMount dead(directory.root() + "/dead");
    TestClient client(socket);
    const auto code_for = [&](const std::string& name, std::chrono::milliseconds timeout) {
      return client
          .call("v1.Filesystem/PathExists", WireWriter().text(1, directory.root() + "/" + name),
                with_timeout(timeout))
          ->code();
    };
    // Time enough to reach the module, where they stay.
    CHECK(code_for("dead/1", 2s) == StatusCode::kDeadlineExceeded);
    CHECK(code_for("dead/2", 2s) == StatusCode::kDeadlineExceeded);
    REQUIRE(eventually([&] { return stuck_calls(directory) == 2; }));
    for (const std::string name : {"dead/3", "dead/4/5", "dead/1", "link/6", "link-to-link/7"}) {
      CHECK(code_for(name, 60s) == StatusCode::kUnavailable);
    }
    // Another server has done nothing yet, and the node's own directories are none.
    const SilentMount deaf(directory.root() + "/deaf");
    CHECK(code_for("deaf/1", 50ms) == StatusCode::kDeadlineExceeded);
    CHECK(code_for("here", 60s) == StatusCode::kOk);
    CHECK(code_for("link", 60s) == StatusCode::kOk);
  }
  // Their servers gone, all come back, and none counts any more.
  TestClient client(socket);
  CHECK(client.call("v1.Filesystem/PathExists", WireWriter().text(1, directory.root() + "/dead/3"))
            ->code() == StatusCode::kOk);
  CHECK(agent.stop() == 0);
}
