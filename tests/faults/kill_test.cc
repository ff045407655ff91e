// The agent is killed again and again while its clients change directories: what was answered is
// there afterwards, and what was not answered is reached by repeating the call.
//
// How many kills, and how many of disk_kill_test are counted with them, kill_counts.h says. Moments
// come from LONGSHORE_SEED, which is printed.
#include <signal.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "tests/support/agent_process.h"
#include "tests/support/kill_counts.h"
#include "tests/support/random_seed.h"
#include "tests/support/require.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

constexpr size_t kClients = 3;

// A client with a folder of its own, which knows what was answered. Threads: one.
class Client {
 public:
  Client(const AgentDirectory& directory, size_t number, uint64_t seed)
      : socket_(directory.filesystem_socket("v1")),
        folder_(directory.root() + "/" + std::to_string(number)),
        random_(seed) {}

  // One change of one directory, repeated until it is answered, and a look at another.
  void change(const std::atomic<bool>& over) {
    const std::string path = folder_ + "/" + std::to_string(random_() % 16);
    bool& is_there = there_[path];
    const bool wanted = !is_there || random_() % 4 == 0;  // sometimes what is so already
    const std::string request = wanted ? std::string(WireWriter().text(1, path + "/below"))
                                       : std::string(WireWriter().text(1, path).number(2, 1));
    if (!answered(wanted ? "Mkdir" : "Rmdir", request, over)) {
      there_.erase(path);  // nobody knows
      return;
    }
    is_there = wanted;
    ++changes_;
    check();
  }

  // All that was answered, by the system itself.
  void check() const {
    for (const auto& [path, is_there] : there_) {
      require(fs::exists(path + "/below") == is_there && fs::exists(path) == is_there,
              path + (is_there ? " was made and is gone" : " was removed and is there"));
    }
  }

  int changes() const { return changes_; }
  int unanswered() const { return unanswered_; }

 private:
  bool answered(const std::string& method, const std::string& request,
                const std::atomic<bool>& over) {
    while (!over) {
      try {
        if (!client_) client_ = std::make_unique<TestClient>(socket_);
      } catch (const std::exception&) {
        std::this_thread::sleep_for(1ms);  // nobody listens between two agents
        continue;
      }
      const auto answer = client_->call("v1.Filesystem/" + method, request);
      if (answer->code() == StatusCode::kOk) return true;
      require(answer->code() == StatusCode::kUnavailable, method + ": " + answer->text());
      ++unanswered_;
      client_.reset();
    }
    return false;
  }

  const std::string socket_;
  const std::string folder_;
  std::mt19937_64 random_;
  std::unique_ptr<TestClient> client_;
  std::map<std::string, bool> there_;
  int changes_ = 0, unanswered_ = 0;
};

// What went wrong, of several threads.
class Faults {
 public:
  void add(const std::exception& fault) {
    const std::lock_guard lock(mutex_);
    text_ += fault.what() + std::string("\n");
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace

TEST_CASE("No answered change of a directory is undone by a kill, and every other is repeatable") {
  const uint64_t seed = random_seed();
  const AgentDirectory directory;
  std::optional<AgentProcess> agent(std::in_place, directory);
  INFO(directory.log());
  REQUIRE(agent->serves());
  Faults faults;
  std::atomic<bool> over = false;
  std::deque<Client> clients;
  std::vector<std::thread> threads;
  for (size_t number = 0; number < kClients; ++number) {
    Client& client = clients.emplace_back(directory, number, seed + number);
    threads.emplace_back([&] {
      try {
        while (!over) client.change(over);
      } catch (const std::exception& fault) {
        faults.add(fault);
      }
    });
  }
  std::mt19937_64 random(seed + kClients);
  const int kills = kill_counts().of_agent_at_directories;
  int killed = 0;
  while (killed < kills && faults.text().empty()) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));  // any moment
    agent->signal(SIGKILL);
    if (agent->wait() != 128 + SIGKILL) break;  // it has ended by itself
    ++killed;
    agent.emplace(directory);
    if (!agent->serves()) break;
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(faults.text() == "");
  CHECK(killed == kills);
  tell_kills("fs", killed);
  int unanswered = 0;
  for (const Client& client : clients) {
    CHECK_NOTHROW(client.check());
    CHECK(client.changes() > 0);
    unanswered += client.unanswered();
  }
  CHECK(unanswered > killed / 10);
  CHECK(agent->stop() == 0);
}
