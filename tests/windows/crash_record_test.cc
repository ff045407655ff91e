// What is known after a crash on Windows: in the log, in the state directory and from longshorectl,
// of the agent's own process and of a module's; and that a password of the call is in none of it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/agent_program.h"

using namespace longshore::test;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

constexpr const char* kMethod = "hostile.v1.Hostile/Do";
const std::string kPassword = "a-password-that-nobody-is-told";

struct ModuleCrash {
  const char* module;  // of tests/hostile
  const char* signal;
};

const ModuleCrash kModuleCrashes[] = {
    {"crash_in_invoke", "ACCESS_VIOLATION code 0xc0000005 address 0x"},
    {"aborts", "ABORT code 0xc0000409"},
    {"throws", "ABORT code 0xc0000409"},
    {"huge_stack", "STACK_OVERFLOW code 0xc00000fd"}};

class CrashingAgent {
 public:
  CrashingAgent(const std::string& module, const std::string& isolation) {
    folder.configure("[modules.hostile]\nlibrary = '" + hostile_module(module) +
                     "'\nisolation = '" + isolation +
                     "'\n[endpoints.hostile]\naddress = 'npipe://" + pipe() +
                     "'\nservices = ['hostile.v1.Hostile']\n");
  }

  std::string pipe() const { return folder.echo_pipe() + "-hostile"; }
  std::string log() const { return folder.log(); }

  void call() const {
    TestClient client(pipe());
    client.call(kMethod, WireWriter().text(1, "an-object").text(2, kPassword));
  }

  // What longshorectl says, all of it with one record's name.
  std::string crashes(const std::string& name = {}) const {
    std::vector<std::string> words = {"crashes", "--state-dir", folder / "state"};
    if (!name.empty()) words.push_back(name);
    const auto run = run_program("longshorectl", words);
    CAPTURE(run.output);
    REQUIRE(run.exit_code == 0);
    return run.output;
  }

  // The record of the only crash.
  std::string record() const {
    const std::string list = crashes();
    const size_t line = list.find('\n') + 1;
    REQUIRE(line != 0);
    return crashes(list.substr(line, list.find(' ', line) - line));
  }

  // The files of the state directory that have the password, and the log if it does.
  std::vector<std::string> files_with_password() const {
    std::vector<std::string> found;
    size_t looked_at = 0;
    const auto look_at = [&](const std::string& file) {
      const std::string text = text_of(file);
      if (!text.empty()) ++looked_at;
      if (text.find(kPassword) != std::string::npos) found.push_back(file);
    };
    look_at(folder / "log");
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(folder / "state"))) {
      if (entry.is_regular_file()) look_at(entry.path().string());
    }
    CHECK(looked_at >= 2);  // the log and a record
    return found;
  }

  AgentFolder folder;
};

void check_record(const std::string& record, const ModuleCrash& crash) {
  CHECK_THAT(record, Contains(std::string("signal: ") + crash.signal) &&
                         Contains("module: hostile") &&
                         Contains(std::string("method: ") + kMethod) && Contains("request: ") &&
                         Contains("thread: ") && Contains("#00 0x") && Contains("#01 0x") &&
                         Contains(std::string(crash.module) + ".dll stamp 0x"));
}

}  // namespace

TEST_CASE("a module that takes the agent on Windows with it leaves a record") {
  const ModuleCrash crash =
      GENERATE(from_range(std::begin(kModuleCrashes), std::end(kModuleCrashes)));
  const CrashingAgent crashing(crash.module, "in-process");
  {
    AgentProgram agent(crashing.folder);
    CAPTURE(crash.module, crashing.log());
    REQUIRE(agent.serves());
    CHECK_THAT(crashing.crashes(), Contains("no crash is recorded"));
    crashing.call();
    CHECK(agent.ends());
  }
  const std::string record = crashing.record();
  CAPTURE(crash.module, record, crashing.log());
  check_record(record, crash);
  CHECK_THAT(record, Contains("program: longshored "));
  CHECK_THAT(crashing.log(), Contains(std::string(" ERROR crash: signal: ") + crash.signal) &&
                                 Contains("crash: #00 "));
  CHECK(crashing.files_with_password().empty());
  AgentProgram next(crashing.folder);
  CHECK(next.serves());
  CHECK_THAT(crashing.log(), Contains("the last crash that is recorded"));
}

TEST_CASE("a module that crashes in a process of its own on Windows leaves a record by the agent") {
  const ModuleCrash crash =
      GENERATE(from_range(std::begin(kModuleCrashes), std::end(kModuleCrashes)));
  const CrashingAgent crashing(crash.module, "process");
  AgentProgram agent(crashing.folder);
  CAPTURE(crash.module, crashing.log());
  REQUIRE(agent.serves());
  crashing.call();
  CHECK(eventually(
      [&] { return crashing.crashes().find("no crash is recorded") == std::string::npos; }));
  const std::string record = crashing.record();
  CAPTURE(record);
  check_record(record, crash);
  CHECK_THAT(record, Contains("program: longshore-modulehost "));
  CHECK(crashing.files_with_password().empty());
  // The agent serves on.
  TestClient client(crashing.folder.echo_pipe());
  CHECK(client.call("longshore.echo.v1.Echo/Say", WireWriter().text(1, "hello"))->code() ==
        longshore::StatusCode::kOk);
}

TEST_CASE("of crashes on Windows so many are kept, and an agent that is killed leaves none") {
  const CrashingAgent crashing("behaves", "in-process");
  const fs::path folder(crashing.folder / "state\\crashes");
  fs::create_directories(folder);
  for (int i = 100; i < 150; ++i)
    write_file(folder / (std::to_string(i) + "-old-1"), "signal: X\n");
  for (int i = 0; i < 2; ++i) {
    const AgentProgram agent(crashing.folder);
    CHECK(agent.serves());
  }
  const std::string list = crashing.crashes();
  CHECK_THAT(list, !Contains("118-old-1") && Contains("119-old-1") && !Contains("longshored"));
}

TEST_CASE("a folder that is not the agent's own has no crash records") {
  const CrashingAgent crashing("behaves", "in-process");
  CHECK_THAT(crashing.crashes(), Contains("no crash is recorded"));
  fs::create_directories(fs::path(crashing.folder / "state\\crashes\\folder"));
  CHECK_THAT(crashing.crashes(), Contains("no crash is recorded"));
}
