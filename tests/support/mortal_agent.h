// An agent that is killed while its clients work, or a process of a module of its, and clients who
// do not mind.
#pragma once

#include <signal.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tests/support/agent_process.h"
#include "tests/support/disk_node.h"
#include "tests/support/process_figures.h"
#include "tests/support/require.h"

namespace longshore::test {

// An agent that is killed and starts again on what it left behind. Threads: any; one kills.
class MortalAgent {
 public:
  explicit MortalAgent(const DiskNode& node) : node_(node) { start(); }

  // Kills it at once, and waits until the next one serves.
  void kill_and_start() {
    agent_->signal(SIGKILL);
    require(agent_->wait() == 128 + SIGKILL, "the agent has ended before it was killed");
    agent_.reset();
    start();
  }

  // Kills the process of one of its modules, for whose next one nobody waits. False: there was none
  // at the moment.
  bool kill_child(uint64_t choice) {
    const auto children = children_of(agent_->id());
    return !children.empty() && ::kill(children[choice % children.size()], SIGKILL) == 0;
  }

  // Waits until an agent has started that is later than the one of this number; its number.
  uint64_t await_later(uint64_t number) {
    std::unique_lock lock(mutex_);
    started_.wait(lock, [&] { return number_ > number || failed_; });
    require(!failed_, "no agent is left");
    return number_;
  }

  // Does what opens files. Not while an agent is forked, which would keep them open for a moment,
  // or for its life: a volume with such a file cannot be unmounted.
  template <typename Work>
  auto between_starts(const Work& work) {
    const std::lock_guard lock(forking_);
    return work();
  }

  int stop() { return agent_->stop(); }

 private:
  void start() {
    {
      const std::lock_guard lock(forking_);
      agent_.emplace(node_.directory());
    }
    {
      const std::lock_guard lock(mutex_);
      failed_ = !agent_->serves();
      ++number_;
    }
    started_.notify_all();
    require(agent_->serves(), "the agent does not start: " + node_.directory().log());
  }

  const DiskNode& node_;
  std::optional<AgentProcess> agent_;
  std::mutex forking_;
  std::mutex mutex_;
  std::condition_variable started_;
  uint64_t number_ = 0;
  bool failed_ = false;
};

// A client that repeats every call until it is answered. Threads: one.
class PatientClient {
 public:
  PatientClient(const DiskNode& node, MortalAgent& agent) : node_(node), agent_(agent) {}

  // The message of the answer, which must be a good one. `call` makes the call.
  template <typename Call>
  std::string answered(const Call& call) {
    for (;;) {
      const DiskClient::Called answer = call(connected());
      if (answer->code() == StatusCode::kUnavailable &&
          answer->text().starts_with("the process of the module")) {
        ++unanswered_;
        continue;
      }
      if (answer->code() == StatusCode::kUnavailable && client_->await_closed()) {
        client_.reset();
        ++unanswered_;
        continue;
      }
      require(answer->code() == StatusCode::kOk, answer->text());
      return answer->messages.at(0);
    }
  }

  int unanswered() const { return unanswered_; }

 private:
  DiskClient& connected() {
    while (!client_) {
      number_ = agent_.await_later(number_);
      try {
        client_ = std::make_unique<DiskClient>(node_);
      } catch (const std::exception&) {
        // Killed already; there will be another one.
      }
    }
    return *client_;
  }

  const DiskNode& node_;
  MortalAgent& agent_;
  std::unique_ptr<DiskClient> client_;
  uint64_t number_ = 0;
  int unanswered_ = 0;
};

}  // namespace longshore::test
