// The agent as a service of a real systemd, with the unit files as they are delivered: how it is
// started, told things, and comes back.
#include <signal.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <deque>
#include <exception>
#include <filesystem>
#include <future>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "filesystem/v1.pb.h"
#include "tests/guest/service_world.h"
#include "tests/support/eventually.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

constexpr const char* kFaulty = "no_such_key = 1\n";

// Asks over and over on a thread of its own. Connects anew after some calls, and as soon as the
// agent says that it takes no more.
class Caller {
 public:
  explicit Caller(std::string socket)
      : thread_([this, socket = std::move(socket)] {
          try {
            while (!over_) ask_on_one_connection(socket);
          } catch (const std::exception& exception) {
            error_ = exception.what();
          }
        }) {}
  ~Caller() { end(); }

  int calls() const { return calls_; }
  // Its first error; empty when all went well.
  std::string end() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return error_;
  }

 private:
  void ask_on_one_connection(const std::string& socket) {
    TestClient client(socket);
    v1::PathExistsRequest request;
    request.set_path(InstalledAgent::kRoot);
    for (int i = 0; i < 20 && !over_ && client.accepts_calls(); ++i) {
      const auto answer = client.call("v1.Filesystem/PathExists", request.SerializeAsString());
      ++calls_;
      if (answer->code() != StatusCode::kOk && error_.empty()) {
        error_ = std::string(status_code_name(answer->code())) + " " + answer->text();
      }
    }
  }

  std::atomic<bool> over_{false};
  std::atomic<int> calls_{0};
  std::string error_;
  std::thread thread_;
};

// What an administrator adds to the unit, until the next start of the guest at most.
class UnitLines {
 public:
  explicit UnitLines(const std::string& lines) {
    std::filesystem::create_directories(kFolder);
    write_file(std::string(kFolder) + "/more.conf", lines);
    systemctl({"daemon-reload"});
  }
  UnitLines(const UnitLines&) = delete;
  UnitLines& operator=(const UnitLines&) = delete;
  ~UnitLines() {
    std::filesystem::remove_all(kFolder);
    systemctl({"daemon-reload"});
  }

 private:
  static constexpr const char* kFolder = "/run/systemd/system/longshore.service.d";
};

void check_restarts_under_load(int rounds) {
  InstalledAgent agent;
  agent.must("start");
  std::deque<Caller> callers;
  for (int i = 0; i < 4; ++i) callers.emplace_back(agent.socket("filesystem", "v1"));
  for (int round = 0; round < rounds; ++round) {
    const pid_t old = agent.process();
    agent.must("restart");
    CHECK(agent.process() != old);
    for (Caller& caller : callers) {
      const int before = caller.calls();
      CHECK(eventually([&] { return caller.calls() > before + 20; }));
    }
  }
  for (Caller& caller : callers) CHECK(caller.end() == "");
}

}  // namespace

TEST_CASE("systemctl start returns once the service serves, and says when it cannot") {
  InstalledAgent agent;
  CHECK(agent.property("Type") == "notify");
  agent.must("start");
  CHECK(agent.property("ActiveState") == "active");
  CHECK(agent.journal().find("serv") != std::string::npos);
  CHECK(agent.asks() == StatusCode::kOk);
  agent.must("stop");
  CHECK(agent.property("ActiveState") == "inactive");
  CHECK(agent.property("Result") == "success");

  agent.configure(kFaulty);
  CHECK(systemctl({"start", InstalledAgent::kService}).exit_code != 0);
  CHECK(agent.journal().find("no_such_key") != std::string::npos);
  // Starting again would not mend that.
  CHECK(agent.property("ActiveState") == "failed");
  CHECK(agent.property("NRestarts") == "0");
}

TEST_CASE("Whoever connects to the socket of a stopped agent starts it and is answered") {
  InstalledAgent agent;
  for (int round = 0; round < 2; ++round) {
    REQUIRE(agent.property("ActiveState") == "inactive");
    CHECK(agent.asks() == StatusCode::kOk);
    CHECK(agent.property("ActiveState") == "active");
    agent.must("stop");
  }
}

TEST_CASE("A restart under load costs no caller an answer") { check_restarts_under_load(1); }

TEST_CASE("Nor do several restarts under load", "[thorough]") { check_restarts_under_load(3); }

TEST_CASE("A reload changes what is configured; one that fails says why and changes nothing") {
  InstalledAgent agent;
  agent.must("start");
  const pid_t process = agent.process();
  CHECK(agent.asks() == StatusCode::kOk);

  agent.configure("settings.allowed_roots = [\"/srv\"]\n");
  agent.must("reload");
  CHECK(agent.asks() != StatusCode::kOk);
  agent.configure("");
  agent.must("reload");
  CHECK(agent.asks() == StatusCode::kOk);

  agent.configure(kFaulty);
  CHECK(systemctl({"reload", InstalledAgent::kService}).exit_code != 0);
  const std::string journal = agent.journal();
  CAPTURE(journal);
  CHECK(journal.find("no_such_key") != std::string::npos);
  CHECK(agent.property("ActiveState") == "active");
  CHECK(agent.process() == process);
  CHECK(agent.asks() == StatusCode::kOk);
}

TEST_CASE("A killed agent is started again, and its sockets answer meanwhile") {
  InstalledAgent agent;
  agent.must("start");
  const pid_t process = agent.process();
  REQUIRE(kill(process, SIGKILL) == 0);
  REQUIRE(eventually([&] { return agent.property("NRestarts") == "1"; }));
  CHECK(agent.asks() == StatusCode::kOk);
  CHECK(eventually([&] { return agent.property("ActiveState") == "active"; }));
  CHECK(agent.process() != process);
}

TEST_CASE("The limits of the unit are in force") {
  InstalledAgent agent;
  agent.must("start");
  CHECK(agent.property("MemoryMax") == "1073741824");
  CHECK(agent.property("TasksMax") == "1024");
  CHECK(agent.property("WatchdogUSec") == "3min");
  CHECK(agent.property("StartLimitIntervalUSec") == "0");
  // What the kernel was told, which is what counts.
  CHECK(read_file(agent.cgroup() + "/memory.max") == "1073741824\n");
  CHECK(read_file(agent.cgroup() + "/pids.max") == "1024\n");
}

// More often than systemd's own limit allows, five starts in 10 s, which would fail the socket
// units too.
TEST_CASE("However often the agent is killed, it is started again and its sockets stay",
          "[thorough]") {
  // So that the starts come as close together as this machine can.
  const UnitLines soon("[Service]\nRestartSec=100ms\n");
  InstalledAgent agent;
  agent.must("start");
  for (int kills = 1; kills <= 7; ++kills) {
    CAPTURE(kills);
    const pid_t process = agent.process();
    REQUIRE(process > 0);
    REQUIRE(kill(process, SIGKILL) == 0);
    const bool is_started_again = eventually([&] {
      return agent.property("NRestarts") == std::to_string(kills) &&
             agent.property("ActiveState") == "active" && agent.process() != process;
    });
    INFO(agent.journal());
    REQUIRE(is_started_again);
  }
  CHECK(unit_property("longshore.socket", "ActiveState") == "active");
  CHECK(unit_property("longshore-control.socket", "ActiveState") == "active");
  CHECK(agent.asks() == StatusCode::kOk);
}

TEST_CASE("systemd's watchdog ends an agent that hangs, and none whose module does", "[thorough]") {
  const UnitLines watched("[Service]\nWatchdogSec=6s\n");
  InstalledAgent agent(hostile_lines("hangs_on_request"));
  agent.must("start");
  CHECK(agent.property("WatchdogUSec") == "6s");
  const pid_t process = agent.process();
  const auto stuck = std::async(std::launch::async, [] { return provoke("hang")->code(); });
  std::set<std::string> beats;
  CHECK(eventually([&] {
    beats.insert(agent.property("WatchdogTimestampMonotonic"));
    return beats.size() == 5;  // over more than the time in which there must be one
  }));
  CHECK(agent.process() == process);

  REQUIRE(kill(process, SIGSTOP) == 0);
  REQUIRE(eventually([&] { return agent.property("NRestarts") == "1"; }));
  CHECK(agent.asks() == StatusCode::kOk);
  CHECK(agent.process() != process);
  CHECK(agent.journal().find("Watchdog timeout") != std::string::npos);
}

TEST_CASE("The journal has what the agent says, without a second time stamp") {
  InstalledAgent agent;
  agent.must("start");
  agent.must("stop");
  std::istringstream lines(agent.journal());
  int said = 0;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK_FALSE(line.starts_with("20"));
    // The severity is the journal's own field.
    CHECK_FALSE(line.starts_with("<"));
    if (line.find("module=") != std::string::npos) ++said;
  }
  CHECK(said > 0);
}
