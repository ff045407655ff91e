// What is known after a crash: in the log, in the state directory and from longshorectl.
#include <signal.h>

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/program_run.h"
#include "tests/support/read_file.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/observe/log_lines.h"

namespace longshore::hostile {
namespace {

namespace fs = std::filesystem;
using namespace longshore::test;
using Catch::Matchers::Contains;

constexpr const char* kMethod = "hostile.v1.Hostile/Do";
const std::string kPassword = "a-password-that-nobody-is-told";

class CrashedAgent {
 public:
  CrashedAgent(const std::string& module, const std::string& isolation,
               const std::string& agent = {}) {
    directory.configure(
        agent + "[modules.hostile]\nlibrary = \"" + hostile_module(module) + "\"\nisolation = \"" +
        isolation + "\"\n[endpoints.hostile]\naddress = \"unix://" +
        (directory / "hostile/hostile.sock") + "\"\nservices = [\"hostile.v1.Hostile\"]\n");
  }

  void call() const {
    TestClient client(directory / "hostile/hostile.sock");
    client.call(kMethod, WireWriter().text(1, "an-object").text(2, kPassword));
  }

  // What longshorectl says, all of it with one record's name.
  std::string crashes(const std::string& name = {}) const {
    std::vector<std::string> words = {built_program("longshorectl"), "crashes", "--state-dir",
                                      directory / "state"};
    if (!name.empty()) words.push_back(name);
    const ProgramRun run = run_program(words);
    INFO(run.errors);
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
    const auto look_at = [&](const std::string& file) {
      if (read_file(file).find(kPassword) != std::string::npos) found.push_back(file);
    };
    look_at(directory.log_file());
    for (const auto& entry : fs::recursive_directory_iterator(directory / "state")) {
      if (entry.is_regular_file()) look_at(entry.path());
    }
    return found;
  }

  AgentDirectory directory;
};

void check_record(const std::string& record, const std::string& signal) {
  CHECK_THAT(record, Contains("signal: " + signal) && Contains("module: hostile\n") &&
                         Contains(std::string("method: ") + kMethod + "\n") &&
                         Contains("request: ") && Contains("thread: hostile ") &&
                         Contains("#00 0x") && Contains("#01 0x") && Contains(" build-id "));
  CHECK_THAT(record, !Contains(kPassword));
}

struct Crash {
  const char* module;
  int signal;
  const char* name;
};
const Crash kCrashes[] = {{"crash_in_invoke", SIGSEGV, "SIGSEGV"},
                          {"aborts", SIGABRT, "SIGABRT"},
                          {"throws", SIGABRT, "SIGABRT"},
                          {"huge_stack", SIGSEGV, "SIGSEGV"},
                          {"crashes_in_malloc", SIGABRT, "SIGABRT"},
                          {"raises_SIGBUS", SIGBUS, "SIGBUS"},
                          {"raises_SIGILL", SIGILL, "SIGILL"},
                          {"raises_SIGFPE", SIGFPE, "SIGFPE"},
                          {"raises_SIGSYS", SIGSYS, "SIGSYS"}};

// What follows `key` in its line of a text; empty: there is none.
std::string after(const std::string& text, const std::string& key) {
  const size_t at = text.find(key);
  if (at == std::string::npos) return {};
  return text.substr(at + key.size(), text.find('\n', at) - at - key.size());
}

// Of the function in the file that the offset lies in.
std::string function_at(const std::string& file, const std::string& offset) {
  const ProgramRun run = run_program({"/usr/bin/addr2line", "-f", "-e", file, offset});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  return run.output.substr(0, run.output.find('\n'));
}

}  // namespace

TEST_CASE("A module that takes the agent with it leaves a record of the call and the place") {
  for (const Crash& crash : kCrashes) {
    const CrashedAgent crashed(crash.module, "in-process");
    INFO(crash.module);
    CHECK_THAT(crashed.crashes(), Contains("no crash is recorded"));
    {
      AgentProcess agent(crashed.directory);
      REQUIRE(agent.serves());
      crashed.call();
      CHECK(agent.wait() == 128 + crash.signal);
    }
    INFO(crashed.directory.log());
    const std::string record = crashed.record();
    check_record(record, crash.name);
    CHECK_THAT(record, Contains("program: longshored "));
    CHECK_THAT(crashed.directory.log(),
               Contains(" ERROR crash: signal: " + std::string(crash.name)) &&
                   Contains(std::string("crash: method: ") + kMethod) && Contains("crash: #00 "));
    AgentProcess next(crashed.directory);
    CHECK(next.serves());
    CHECK_THAT(crashed.directory.log(), Contains("the last crash that is recorded"));
    CHECK(next.stop() == 0);
    CHECK(crashed.files_with_password().empty());
  }
}

TEST_CASE("A module that crashes in a process of its own leaves a record by the agent") {
  for (const Crash& crash : kCrashes) {
    const CrashedAgent crashed(crash.module, "process", "[agent.log]\nlevel = \"error\"\n");
    INFO(crash.module);
    AgentProcess agent(crashed.directory);
    REQUIRE(agent.serves());
    crashed.call();
    CHECK(eventually([&] { return crashed.crashes().find(crash.name) != std::string::npos; }));
    INFO(crashed.directory.log());
    const std::string record = crashed.record();
    check_record(record, crash.name);
    CHECK_THAT(record, Contains("program: longshore-modulehost "));
    const std::string printed = " ERROR its process printed: crash: ";
    CHECK_THAT(crashed.directory.log(), Contains(printed + "signal: " + crash.name) &&
                                            Contains(printed + "module: hostile") &&
                                            Contains(printed + "method: " + kMethod) &&
                                            Contains(printed + "request: ") &&
                                            Contains(printed + "#00 0x"));
    CHECK(agent.stop() == 0);
    CHECK(crashed.files_with_password().empty());
  }
}

TEST_CASE("A module's own process that crashes outside of a call is known by its module") {
  const CrashedAgent crashed("crash_in_thread", "process");
  AgentProcess agent(crashed.directory);
  REQUIRE(agent.serves());
  crashed.call();
  REQUIRE(eventually([&] { return crashed.crashes().find("SIGSEGV") != std::string::npos; }));
  const std::string record = crashed.record();
  CHECK_THAT(record, Contains("\nmodule: hostile\n") && !Contains("method: "));
  CHECK_THAT(crashed.crashes(), Contains("  hostile"));
  CHECK(agent.stop() == 0);
}

TEST_CASE("The first frame of a crash names the module's build and the place in its file") {
  const std::string isolation = GENERATE("in-process", "process");
  CAPTURE(isolation);
  const CrashedAgent crashed("crash_in_invoke", isolation);
  AgentProcess agent(crashed.directory);
  REQUIRE(agent.serves());
  crashed.call();
  REQUIRE(eventually([&] { return crashed.crashes().find("SIGSEGV") != std::string::npos; }));
  if (isolation == "process") {
    CHECK(agent.stop() == 0);
  } else {
    CHECK(agent.wait() == 128 + SIGSEGV);
  }
  const std::string record = crashed.record();
  INFO(record);
  const std::string module = hostile_module("crash_in_invoke");
  const std::string notes = run_program({"/usr/bin/readelf", "--notes", module}).output;
  const std::string id = after(notes, "Build ID: ");
  REQUIRE_FALSE(id.empty());
  const std::string frame = after(record, "\n#00 ");
  // The file itself is not named there: the agent has loaded a copy in memory.
  CHECK(after(frame, " build-id ") == id);
  const std::string offset = frame.substr(0, frame.find(' '));
  // What the one calls may be compiled into it.
  CHECK_THAT(function_at(module, offset), Catch::Equals("crash") || Catch::Equals("invoke"));
}

TEST_CASE("In a log in JSON each line of a crash is an object, and has what the record has") {
  const CrashedAgent crashed("crash_in_invoke", "in-process", "[agent.log]\nformat = \"json\"\n");
  {
    AgentProcess agent(crashed.directory);
    REQUIRE(agent.serves());
    crashed.call();
    CHECK(agent.wait() == 128 + SIGSEGV);
  }
  INFO(crashed.directory.log());
  std::string told;
  for (const std::string& line : lines_of(crashed.directory.log_file())) {
    const boost::json::value object = boost::json::parse(line);
    const std::string message(object.at("message").as_string());
    if (!message.starts_with("crash: ")) continue;
    CHECK(object.at("level") == "error");
    CHECK(object.at("time").as_string().ends_with("Z"));
    told += message.substr(7) + '\n';
  }
  CHECK_THAT(told, Contains("signal: SIGSEGV") && Contains("#00 0x"));
  CHECK(told == crashed.record());
}

TEST_CASE("Of crashes so many are kept, and an agent that ended well leaves none") {
  const CrashedAgent crashed("behaves", "in-process");
  const std::string folder = crashed.directory / "state/crashes";
  fs::create_directories(folder);
  for (int i = 100; i < 150; ++i)
    write_file(folder + "/" + std::to_string(i) + "-old-1", "signal: X\n");
  for (int i = 0; i < 2; ++i) {
    AgentProcess agent(crashed.directory);
    CHECK(agent.serves());
    CHECK(agent.stop() == 0);
  }
  const std::string list = crashed.crashes();
  CHECK(list.find("118-old-1") == std::string::npos);
  CHECK(list.find("119-old-1") != std::string::npos);
  CHECK(list.find("longshored") == std::string::npos);
}

}  // namespace longshore::hostile
