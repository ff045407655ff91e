// A server that says nothing, behind paths of which no two are the same: a FUSE mount without a
// server. What else the agent does goes on.
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

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

size_t stuck_calls(const AgentDirectory& directory) {
  const std::string log = directory.log();
  size_t count = 0;
  for (size_t at = log.find("a call is stuck"); at != log.npos;
       at = log.find("a call is stuck", at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("A silent server takes as many threads as may be stuck, whatever paths lead to it") {
  if (!SilentMount::is_possible()) {
    std::puts("SKIPPED: no /dev/fuse here");
    return;
  }
  const AgentDirectory directory;
  // Near the top: the path of a socket may not be long.
  const std::string run = fs::temp_directory_path() / "run";
  const std::string socket = run + "/csi-proxy/filesystem-v1/csi-proxy-filesystem-v1.sock";
  directory.write_configuration(
      "[agent]\nrun_dir = \"" + run + "\"\ncontrol_dir = \"" + (directory / "control") +
      "\"\nstate_dir = \"" + (directory / "state") + "\"\nmodule_dirs = [\"" + built_modules() +
      "\"]\n[modules.filesystem]\nmax_stuck_calls = 2\nsettings.allowed_roots = [\"" +
      directory.root() + "\"]\n");
  for (const std::string name : {"dead", "deaf"}) {
    fs::create_directory(directory.root() + "/" + name);
  }
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
    CHECK(code_for("dead/1", 50ms) == StatusCode::kDeadlineExceeded);
    CHECK(code_for("dead/2", 50ms) == StatusCode::kDeadlineExceeded);
    REQUIRE(eventually([&] { return stuck_calls(directory) == 2; }));
    for (const std::string name : {"dead/3", "dead/4/5", "dead/1"}) {
      CHECK(code_for(name, 60s) == StatusCode::kUnavailable);
    }
    // Another server has done nothing yet, and the node's own directories are none.
    const SilentMount deaf(directory.root() + "/deaf");
    CHECK(code_for("deaf/1", 50ms) == StatusCode::kDeadlineExceeded);
    CHECK(code_for("here", 60s) == StatusCode::kOk);
  }
  // Their servers gone, all come back, and none counts any more.
  TestClient client(socket);
  CHECK(client.call("v1.Filesystem/PathExists", WireWriter().text(1, directory.root() + "/dead/3"))
            ->code() == StatusCode::kOk);
  CHECK(agent.stop() == 0);
}
