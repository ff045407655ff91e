// What the audit log says of a call that was at work when the agent was killed, and that cutting
// the log shows.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/program_run.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/observe/log_lines.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

constexpr const char* kRmdirContents = "v2alpha1.Filesystem/RmdirContents";
// 6,800 files have once gone without a line.
constexpr size_t kFolders = 68;
constexpr size_t kFilesOfFolder = 100;

ProgramRun verify(const AgentDirectory& directory, const std::string& journal) {
  return run_program({built_program("longshorectl"), "audit", "verify", directory / "audit.jsonl",
                      "--journal", journal});
}
ProgramRun verify(const AgentDirectory& directory) {
  return verify(directory, directory.log_file());
}

// Its folders, which are there.
std::vector<std::string> make_tree(const std::string& top) {
  std::vector<std::string> folders;
  for (size_t folder = 0; folder < kFolders; ++folder) {
    folders.push_back(top + "/" + std::to_string(folder));
    fs::create_directories(folders.back());
    for (size_t file = 0; file < kFilesOfFolder; ++file) {
      write_file(folders.back() + "/" + std::to_string(file), "x");
    }
  }
  return folders;
}

size_t files_below(const std::string& top) {
  return static_cast<size_t>(
      std::count_if(fs::recursive_directory_iterator(top), fs::recursive_directory_iterator(),
                    [](const fs::directory_entry& entry) { return entry.is_regular_file(); }));
}

// Has the agent empty a tree, and kills it as soon as a folder is gone. How many files are left.
size_t kill_in_rmdir_contents(const AgentDirectory& directory, const std::string& top) {
  const std::vector<std::string> folders = make_tree(top);
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient client(directory.filesystem_socket("v2alpha1"));
  const auto call = client.start(kRmdirContents, WireWriter().text(1, top));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::ranges::all_of(folders, [](const auto& each) { return fs::exists(each); }) &&
         std::chrono::steady_clock::now() < end) {
    client.catch_up();
  }
  agent.signal(SIGKILL);
  REQUIRE(agent.wait() == 128 + SIGKILL);
  return files_below(top);
}

}  // namespace

TEST_CASE("An agent that is killed while it removes thousands of files has told of it before") {
  AgentDirectory directory;
  directory.configure("[agent.audit]\nfile = \"" + (directory / "audit.jsonl") + "\"\n");
  std::string top;
  size_t left = 0;
  // All of them may be gone before this program has its next turn.
  for (int attempt = 0; left == 0 && attempt < 20; ++attempt) {
    top = directory.root() + "/tree" + std::to_string(attempt);
    left = kill_in_rmdir_contents(directory, top);
  }
  REQUIRE(left > 0);
  REQUIRE(left < kFolders * kFilesOfFolder);
  const auto lines = lines_of(directory / "audit.jsonl");
  REQUIRE_FALSE(lines.empty());
  CHECK_THAT(lines.back(), Contains(R"("event":"begin")") && Contains(kRmdirContents) &&
                               Contains("\"object\":\"" + top + "\""));
  {
    // What is left can be removed, by the same call.
    AgentProcess next(directory);
    REQUIRE(next.serves());
    TestClient client(directory.filesystem_socket("v2alpha1"));
    CHECK(client.call(kRmdirContents, WireWriter().text(1, top))->code() == StatusCode::kOk);
    CHECK(fs::is_empty(top));
    CHECK(next.stop() == 0);
  }
  const ProgramRun whole = verify(directory);
  INFO(whole.output << whole.errors);
  CHECK(whole.exit_code == 0);
  CHECK_THAT(whole.output,
             Contains("(" + std::string(kRmdirContents) + ") began and has no outcome"));
}

TEST_CASE("A killed agent leaves the line of what it was at; what is cut from the log shows") {
  AgentDirectory directory;
  directory.configure(
      "[agent.log]\nlevel = \"error\"\n[agent.audit]\nfile = \"" + (directory / "audit.jsonl") +
      "\"\nfsync = true\n[modules.hostile]\nlibrary = \"" + hostile_module("never_finishes") +
      "\"\n[endpoints.hostile]\naddress = \"unix://" + (directory / "hostile/hostile.sock") +
      "\"\nservices = [\"hostile.v1.Hostile\"]\n");
  for (const bool is_killed : {true, false}) {
    AgentProcess agent(directory);
    INFO(directory.log());
    REQUIRE(agent.serves());
    TestClient client(directory / "hostile/hostile.sock");
    const auto call = client.start("hostile.v1.Hostile/Do", "");
    const size_t wanted = is_killed ? 2 : 3;  // with the line that opens the file
    // The client alone would look only when it hears something.
    REQUIRE(eventually([&] {
      client.run_until([] { return false; }, std::chrono::milliseconds(5));
      return lines_of(directory / "audit.jsonl").size() >= wanted;
    }));
    CHECK_THAT(lines_of(directory / "audit.jsonl")[wanted - 1], Contains(R"("event":"begin")"));
    agent.signal(is_killed ? SIGKILL : SIGTERM);
    CHECK(agent.wait() == (is_killed ? 128 + SIGKILL : 0));
  }
  const ProgramRun whole = verify(directory);
  INFO(whole.output << whole.errors);
  CHECK(whole.exit_code == 0);
  CHECK_THAT(whole.output, Contains("(hostile.v1.Hostile/Do) began and has no outcome") &&
                               Contains(" 3 anchors compared: whole"));
  // Not the agent's log.
  const ProgramRun nothing = verify(directory, directory.config_file());
  CHECK(nothing.exit_code == 2);
  CHECK_THAT(nothing.output,
             Contains("compared with nothing") && Contains(" 0 anchors compared: NOT WHOLE"));

  const auto lines = lines_of(directory / "audit.jsonl");
  std::ofstream cut(directory / "audit.jsonl", std::ios::trunc);
  for (size_t i = 0; i + 1 < lines.size(); ++i) cut << lines[i] << '\n';
  cut.close();
  const ProgramRun faulty = verify(directory);
  CHECK(faulty.exit_code == 2);
  CHECK_THAT(faulty.output, Contains("the log was cut"));
}

TEST_CASE("Without a file it is the agent's own audit log that is verified") {
  AgentDirectory directory;
  const std::string file = directory / "audit.jsonl";
  directory.configure("[agent.audit]\nfile = \"" + file + "\"\n");
  const auto verify_own = [&] {
    return run_program(
        {built_program("longshorectl"), "--socket", directory.control_socket(), "audit", "verify"});
  };
  {
    AgentProcess agent(directory);
    INFO(directory.log());
    REQUIRE(agent.serves());
    TestClient client(directory.filesystem_socket("v1"));
    const std::string path = directory.root() + "/made";
    CHECK(client.call("v1.Filesystem/Mkdir", WireWriter().text(1, path))->code() ==
          StatusCode::kOk);
    // The last line may follow its answer.
    REQUIRE(eventually([&] { return lines_of(file).size() == 3; }));
    const ProgramRun whole = verify_own();
    INFO(whole.output << whole.errors);
    CHECK(whole.exit_code == 0);
    CHECK_THAT(whole.output, Contains("3 lines, 0 anchors compared: whole"));
    write_file(file, lines_of(file)[1] + "\n");
    const ProgramRun cut = verify_own();
    CHECK(cut.exit_code == 2);
    CHECK_THAT(cut.output, Contains(file + ": its first line names no chain"));
    CHECK(agent.stop() == 0);
  }
  // Then it is the usual file's turn, whatever there is on this machine.
  CHECK(verify_own().exit_code != 3);
}
