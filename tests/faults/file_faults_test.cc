// The audit log fails the agent: a full disk, a disk that does not answer, no descriptors.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <string>
#include <system_error>

#include "tests/faults/file_faults_agent.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/program_run.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/observe/log_lines.h"

using namespace longshore;
using namespace longshore::test;

TEST_CASE("The agent goes on while its audit log cannot be written, and says so") {
  FileFaultsAgent agent;
  for (const int error : kFileErrors) {
    CAPTURE(error);
    const size_t log_before = agent.log().size();
    break_all(break_files(agent.faults.files(), "/audit/"), error);
    CHECK(agent.make().code() == StatusCode::kOk);
    CHECK(eventually([&] { return agent.faults.failed_files() > 0; }));
    CHECK(eventually([&] {
      return agent.log().find(std::generic_category().message(error), log_before) !=
             std::string::npos;
    }));
    agent.configure();
    REQUIRE(agent.reload());
    CHECK(agent.make().code() == StatusCode::kOk);
    mend_files(agent.faults.files());
    REQUIRE(agent.reload());
    CHECK(agent.make().code() == StatusCode::kOk);
  }
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE("Nothing is changed for long without its line where the audit log is required") {
  FileFaultsAgent agent({.required = true});
  CHECK(agent.make().code() == StatusCode::kOk);
  for (const int error : kFileErrors) {
    CAPTURE(error);
    break_all(break_files(agent.faults.files(), "/audit/"), error);
    CHECK(eventually([&] { return agent.make().code() == StatusCode::kUnavailable; }));
    mend_files(agent.faults.files());
    CHECK(eventually([&] { return agent.make().code() == StatusCode::kOk; }));
  }
  agent.restart();
  CHECK(agent.stop() == 0);
}

TEST_CASE(
    "A disk that keeps nothing is told where agent.audit.fsync is on, and not asked elsewhere") {
  const bool fsync = GENERATE(false, true);
  const bool required = GENERATE(false, true);
  CAPTURE(fsync, required);
  FileFaultsAgent agent({.required = required, .fsync = fsync});
  CHECK(agent.make().code() == StatusCode::kOk);
  break_files(agent.faults.files(), "/audit/").sync_error = EIO;
  const Answer answer = agent.make();
  CHECK(answer.code() == (fsync && required ? StatusCode::kUnavailable : StatusCode::kOk));
  if (fsync) {
    const std::string reason = std::generic_category().message(EIO);
    CHECK(agent.faults.failed_files() > 0);
    CHECK_THAT(agent.log(), Catch::Contains("sync the file") && Catch::Contains(reason));
    if (required) CHECK_THAT(answer.text(), Catch::Contains(reason));
    mend_files(agent.faults.files());
    CHECK(agent.make().code() == StatusCode::kOk);
    CHECK_THAT(agent.log(), Catch::Contains("the audit log is written again"));
  }
  CHECK(agent.stop() == 0);  // with all lines written
  if (!fsync) CHECK(agent.faults.failed_files() == 0);
}

TEST_CASE("Lines that an agent could not write by its end are told by the next, and by verify") {
  FileFaultsAgent agent;
  CHECK(agent.make().code() == StatusCode::kOk);
  const std::string file = agent.directory() / "audit/audit.jsonl";
  REQUIRE(eventually([&] { return lines_of(file).size() == 3; }));
  break_all(break_files(agent.faults.files(), "/audit/"), ENOSPC);
  for (int i = 0; i < 3; ++i) CHECK(agent.make().code() == StatusCode::kOk);
  const bool is_killed = GENERATE(false, true);
  CAPTURE(is_killed);
  // The last line may follow its answer.
  REQUIRE(eventually([&] { return agent.missing_lines() == 6; }));
  if (!is_killed) CHECK(agent.stop() == 0);
  if (is_killed) agent.kill();
  mend_files(agent.faults.files());
  const auto verify = [&] {
    return run_program({built_program("longshorectl"), "audit", "verify", file, "--journal",
                        agent.directory() / "logs/agent.log"});
  };
  if (!is_killed) {
    CHECK(verify().exit_code == 2);
    CHECK_THAT(verify().output, Catch::Contains("6 lines that could not be written are lost"));
  }
  agent.start();
  CHECK(agent.stop() == 0);
  CHECK(agent.missing_lines() == 0);
  CHECK(verify().exit_code == 2);
  CHECK_THAT(verify().output, Catch::Contains("audit.jsonl:4: 6 lines"));
}

TEST_CASE("Without descriptors, calls on open connections are answered, and others later") {
  FileFaultsAgent agent;
  TestClient client(agent.files());
  CHECK(agent.make(client).code() == StatusCode::kOk);
  rlimit before{};
  REQUIRE(::prlimit(agent.id(), RLIMIT_NOFILE, nullptr, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(::prlimit(agent.id(), RLIMIT_NOFILE, &none, nullptr) == 0);
  for (int i = 0; i < 20; ++i) {
    const Answer answer = agent.make(client);
    CHECK(answer.code() != StatusCode::kOk);
    CHECK_FALSE(answer.text().empty());
  }
  TestClient waits(agent.files());  // in the kernel's queue
  const auto later =
      waits.start("v1.Filesystem/PathExists", WireWriter().text(1, agent.directory().root()));
  REQUIRE(::prlimit(agent.id(), RLIMIT_NOFILE, &before, nullptr) == 0);
  REQUIRE(waits.run_until([&] { return later->finished(); }));
  CHECK(later->code() == StatusCode::kOk);
  CHECK(agent.make(client).code() == StatusCode::kOk);
  REQUIRE(agent.reload());
  agent.restart();
  CHECK(agent.stop() == 0);
}
