// An agent that is stopped and started, or killed, while clients call it: what fails is what a
// client repeats after it has connected again, and each client goes on.
#include <windows.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "tests/support/eventually.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/agent_program.h"
#include "tests/windows/seen_service.h"

using namespace longshore;
using namespace longshore::test;

namespace {

constexpr int kCallers = 4;
constexpr int kRestarts = 3;
const std::string kExists = WireWriter().number(1, 1);

// Calls PathExists over and over, on a thread of its own. Where a call fails with UNAVAILABLE it
// connects again and repeats it, as gRPC's clients do; anything else ends it with an error.
class RepeatingCaller {
 public:
  RepeatingCaller(std::string pipe, std::string path)
      : pipe_(std::move(pipe)), request_(WireWriter().text(1, path)), thread_([this] {
          try {
            while (!over_ && error_.empty()) call_once();
          } catch (const std::exception& failure) {
            error_ = failure.what();
          }
          has_ended_ = true;
        }) {}
  ~RepeatingCaller() { end(); }
  RepeatingCaller(const RepeatingCaller&) = delete;
  RepeatingCaller& operator=(const RepeatingCaller&) = delete;

  // Its error; empty when all went well.
  std::string end() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return error_;
  }
  int answered() const { return answered_; }
  int connections() const { return connections_; }
  bool has_ended() const { return has_ended_; }
  // Calls that were repeated although the agent may have begun with them: but for those on a
  // connection that it never answered on, which it may not have taken before it ended.
  int begun_in_vain() const { return begun_in_vain_; }

 private:
  void call_once() {
    if (!client_ || client_->closed() || !client_->accepts_calls()) {
      client_.reset();
      if (!eventually([&] { return over_ || connect(); })) error_ = "nobody has the pipe";
      if (!client_) return;
    }
    const auto answer = client_->call("v1.Filesystem/PathExists", request_);
    if (answer->code() == StatusCode::kOk) {
      if (answer->messages.at(0) != kExists) error_ = "it does not exist";
      ++answered_;
      is_served_ = true;
    } else if (answer->code() == StatusCode::kUnavailable) {
      if (!answer->outcome->unseen && is_served_) ++begun_in_vain_;
      client_.reset();
    } else {
      error_ = std::string(status_code_name(answer->code())) + " " + answer->text();
    }
  }

  bool connect() {
    try {
      client_.emplace(pipe_);
    } catch (const std::system_error&) {
      return false;  // between two agents there is no pipe, or one that goes
    }
    ++connections_;
    is_served_ = false;
    return true;
  }

  const std::string pipe_;
  const std::string request_;
  std::optional<TestClient> client_;  // the thread's
  bool is_served_ = false;            // has answered on this connection
  std::atomic<bool> over_{false};
  std::atomic<int> answered_{0};
  std::atomic<int> connections_{0};
  std::atomic<int> begun_in_vain_{0};
  std::atomic<bool> has_ended_{false};
  std::string error_;
  std::thread thread_;
};

// An agent's configuration with the filesystem group, and its clients.
struct Callers {
  Callers() {
    folder.configure("[modules.filesystem]\nsettings.allowed_roots = ['" + root.path().string() +
                     "']\n");
  }

  void begin() {
    for (int i = 0; i < kCallers; ++i) {
      all.emplace_back(folder.csi_proxy_pipe("filesystem-v1"), root.path().string());
    }
  }
  // Each is answered once more, since its connections are so many.
  void are_answered(int connections) {
    for (RepeatingCaller& each : all) {
      const auto comes = [&](const std::function<bool()>& condition) {
        const bool has_come = eventually([&] { return each.has_ended() || condition(); });
        if (each.has_ended()) FAIL(each.end());
        REQUIRE(has_come);
      };
      comes([&] { return each.connections() >= connections; });
      const int before = each.answered();
      comes([&] { return each.answered() > before; });
    }
  }
  void end() {
    for (RepeatingCaller& each : all) CHECK(each.end() == "");
  }

  const TemporaryDirectory root;
  const AgentFolder folder;
  std::deque<RepeatingCaller> all;
};

}  // namespace

TEST_CASE("clients outlive stops of the service, and no connection that it serves fails a call") {
  Callers callers;
  const auto installed =
      run_service({"install", "--config", callers.folder.config_file(), "--start"});
  CAPTURE(installed.output);
  REQUIRE(installed.exit_code == 0);
  {
    const SeenService seen;
    REQUIRE(seen.comes_to(SERVICE_RUNNING));
    callers.begin();
    for (int i = 1; i <= kRestarts; ++i) {
      callers.are_answered(i);
      seen.tell(SERVICE_CONTROL_STOP);
      REQUIRE(seen.comes_to(SERVICE_STOPPED));
      seen.start();
      REQUIRE(seen.comes_to(SERVICE_RUNNING));
    }
    callers.are_answered(kRestarts + 1);
    callers.end();
    for (const RepeatingCaller& each : callers.all) CHECK(each.begun_in_vain() == 0);
  }
  CHECK(run_service({"uninstall"}).exit_code == 0);
}

TEST_CASE("clients outlive an agent that is killed") {
  Callers callers;
  std::optional<AgentProgram> agent(std::in_place, callers.folder);
  REQUIRE(agent->serves());
  callers.begin();
  for (int i = 1; i <= kRestarts; ++i) {
    callers.are_answered(i);
    agent->kill();
    agent.reset();
    agent.emplace(callers.folder);
    CAPTURE(callers.folder.log());
    REQUIRE(agent->serves());
  }
  callers.are_answered(kRestarts + 1);
  callers.end();
}
