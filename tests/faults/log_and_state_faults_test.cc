// The agent's log and its state directory fail it, while it works and when it starts.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <system_error>

#include "tests/faults/file_faults_agent.h"
#include "tests/integration/control_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/other_build.h"

using namespace longshore;
using namespace longshore::test;

namespace {

// Files of the agent's own there; modules have folders.
constexpr const char* kOwnState = "/state/.";

using FileOperation = std::atomic<int> FileFaults::*;

std::string message_of(int error) { return std::generic_category().message(error); }

}  // namespace

TEST_CASE("The agent goes on while its log cannot be written, and writes on once it can") {
  FileFaultsAgent agent;
  for (const int error : kFileErrors) {
    CAPTURE(error);
    const size_t lost_from = agent.log().size();
    break_all(break_files(agent.faults.files(), "/logs/"), error);
    CHECK(agent.make().code() == StatusCode::kOk);
    agent.configure();
    REQUIRE(agent.reload());  // opens the log anew
    CHECK(agent.make().code() == StatusCode::kOk);
    CHECK(agent.faults.failed_files() > 1);
    CHECK(agent.log().size() == lost_from);
    mend_files(agent.faults.files());
    agent.configure();
    REQUIRE(agent.reload());
    CHECK(agent.log().find("reload", lost_from) != std::string::npos);
    CHECK(agent.make().code() == StatusCode::kOk);
  }
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE("The agent goes on while its state cannot be written, and says so") {
  FileFaultsAgent agent;
  const std::string other = agent.directory() / "longshore-echo-2.so";
  int builds = 0;
  for (const int error : kFileErrors) {
    CAPTURE(error);
    // That a file was begun is remembered when it is the first time.
    write_other_build(built_module("echo"), other, "0.1.0", "9.9." + std::to_string(++builds));
    const size_t log_before = agent.log().size();
    break_all(break_files(agent.faults.files(), kOwnState), error);
    CHECK(upgrade(agent.directory(), "echo", other).code == StatusCode::kOk);
    CHECK(agent.faults.failed_files() > 0);
    CHECK(agent.log().find("would not be remembered", log_before) != std::string::npos);
    CHECK(agent.log().find(message_of(error), log_before) != std::string::npos);
    CHECK(agent.make().code() == StatusCode::kOk);
    mend_files(agent.faults.files());
    CHECK(agent.make().code() == StatusCode::kOk);
  }
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE("The agent goes on when all of its files fail at once") {
  FileFaultsAgent agent;
  for (const int error : kFileErrors) {
    CAPTURE(error);
    const size_t log_before = agent.log().size();
    break_all(break_files(agent.faults.files(), agent.directory() / "", agent.directory().root()),
              error);
    CHECK(agent.make().code() == StatusCode::kOk);
    CHECK(eventually([&] { return agent.faults.failed_files() > 0; }));
    mend_files(agent.faults.files());
    CHECK(agent.make().code() == StatusCode::kOk);
    // What the audit log lacks is told once there is room.
    CHECK(eventually([&] { return agent.log().find("audit", log_before) != std::string::npos; }));
  }
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE("The agent starts where its own state fails, says so, and serves") {
  FileFaultsAgent agent;
  CHECK(agent.stop() == 0);
  for (const int error : kFileErrors) {
    for (const FileOperation operation : {&FileFaults::open_error, &FileFaults::write_error,
                                          &FileFaults::sync_error, &FileFaults::truncate_error}) {
      CAPTURE(error);
      const size_t log_before = agent.log().size();
      break_files(agent.faults.files(), kOwnState).*operation = error;
      agent.start();
      CHECK(agent.make().code() == StatusCode::kOk);
      mend_files(agent.faults.files());
      INFO(agent.log().substr(log_before));
      CHECK(agent.faults.failed_files() > 0);
      CHECK(agent.log().find(message_of(error), log_before) != std::string::npos);
      CHECK(agent.stop() == 0);
    }
  }
  agent.start();
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE("A module whose state folder fails does not start, says why, and serves after a reload") {
  FileFaultsAgent agent;
  CHECK(agent.make().code() == StatusCode::kOk);
  for (const int error : kFileErrors) {
    CAPTURE(error);
    CHECK(agent.stop() == 0);
    break_files(agent.faults.files(), "/state/filesystem").open_error = error;
    agent.start();
    CHECK(agent.faults.failed_files() > 0);
    const Answer refused = agent.make();
    CHECK(refused.code() == StatusCode::kUnavailable);
    CHECK_THAT(refused.text(), Catch::Contains(message_of(error)));
    mend_files(agent.faults.files());
    REQUIRE(agent.reload());
    CHECK(agent.make().code() == StatusCode::kOk);
  }
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE("The agent does not start where its log cannot be opened, and says why") {
  FileFaultsAgent agent;
  CHECK(agent.make().code() == StatusCode::kOk);
  CHECK(agent.stop() == 0);
  for (const int error : kFileErrors) {
    CAPTURE(error);
    break_files(agent.faults.files(), "/logs/").open_error = error;
    const size_t said_before = agent.directory().log().size();
    AgentProcess process(agent.directory(), {.variables = agent.faults.variables()});
    mend_files(agent.faults.files());
    CHECK_FALSE(process.serves());
    CHECK(process.wait() == 2);
    CHECK_THAT(agent.directory().log().substr(said_before),
               Catch::Contains("agent.log") && Catch::Contains(message_of(error)));
  }
  // One that can be opened and not written keeps nobody from his work.
  for (const int error : kFileErrors) {
    CAPTURE(error);
    break_files(agent.faults.files(), "/logs/").write_error = error;
    agent.start();
    CHECK(agent.make().code() == StatusCode::kOk);
    CHECK(agent.faults.failed_files() > 0);
    mend_files(agent.faults.files());
    CHECK(agent.stop() == 0);
  }
  agent.start();
  agent.restart();
  CHECK(agent.stop() == 0);
}
