// An agent whose files fail as a test says, and what its clients were told.
//
// Threads: one.
#pragma once

#include <signal.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "tests/faults/broken_files.h"
#include "tests/faults/fault_injection.h"
#include "tests/support/agent_process.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

namespace longshore::test {

inline constexpr int kFileErrors[] = {EIO, ENOSPC, EMFILE, ENFILE};

// With a log file and an audit log.
class FileFaultsAgent {
 public:
  // Of [agent.audit].
  struct Audit {
    bool required = false;
    bool fsync = false;
  };

  FileFaultsAgent() : FileFaultsAgent(Audit{}) {}
  explicit FileFaultsAgent(Audit audit) : audit_(audit) {
    std::filesystem::create_directory(directory_ / "logs");
    std::filesystem::create_directory(directory_ / "audit");
    configure();
    start();
  }

  // What is said of the module echo is another thing each time, so that a reload replaces it.
  void configure() {
    directory_.configure("[agent.log]\nfile = \"" + (directory_ / "logs/agent.log") +
                             "\"\n[agent.audit]\nfile = \"" + (directory_ / "audit/audit.jsonl") +
                             "\"\nrequired = " + (audit_.required ? "true" : "false") +
                             "\nfsync = " + (audit_.fsync ? "true" : "false") + "\n",
                         "max_queued_calls = " + std::to_string(1000 + ++configured_ % 10) + "\n");
  }

  bool reload() { return agent_->reload(); }

  // Makes a directory; whether that was acknowledged.
  Answer make(TestClient& client) {
    const std::string path = directory_.root() + "/" + std::to_string(++number_);
    const auto answer = client.call("v1.Filesystem/Mkdir", WireWriter().text(1, path));
    if (answer->code() == StatusCode::kOk) made_.insert(path);
    return *answer;
  }
  Answer make() {
    TestClient client(files());
    return make(client);
  }

  void kill() {
    agent_->signal(SIGKILL);
    CHECK(agent_->wait() == 128 + SIGKILL);
  }
  void start() {
    agent_.emplace(directory_, AgentProcess::Options{.variables = faults.variables()});
    INFO(log());
    REQUIRE(agent_->serves());
  }
  void restart() {
    kill();
    start();
    CHECK_FALSE(made_.empty());
    for (const std::string& path : made_) CHECK(std::filesystem::exists(path));
  }

  std::string files() const { return directory_.filesystem_socket("v1"); }
  const AgentDirectory& directory() const { return directory_; }
  pid_t id() const { return agent_->id(); }
  int stop() { return agent_->stop(); }

  // That the agent remembers for the next one.
  uint64_t missing_lines() const {
    std::ifstream file(directory_ / "state/.audit-missing-lines");
    uint64_t lines = 0;
    file >> lines;
    return lines;
  }

  std::string log() const {
    std::ifstream file(directory_ / "logs/agent.log");
    return directory_.log() + std::string{std::istreambuf_iterator<char>(file), {}};
  }

  FaultInjection faults;

 private:
  const Audit audit_;

  AgentDirectory directory_;
  std::optional<AgentProcess> agent_;
  std::set<std::string> made_;
  int number_ = 0, configured_ = 0;
};

}  // namespace longshore::test
