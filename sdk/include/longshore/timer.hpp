// A timer of a module's: runs a function once, later, on a thread of the instance's pool.
//
//   idle ──start──► set ──its time──► idle (the function runs, and may start it again)
//                    └───cancel─────► idle
//
// The function never runs twice at once, however soon it starts the timer again.
// Needs an agent of ABI 0.2 (`kAbiMinorNeeded`): with an older one `start` answers an error.
// Threads: any; `cancel` and the destructor wait for a function that runs on another thread, so no
// lock may be held there that the function takes. Owner: the module; must not outlive its `stop`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "longshore/abi.h"
#include "longshore/context.hpp"
#include "longshore/result.hpp"

namespace longshore {

class Timer {
 public:
  // `host` is Module::host().
  explicit Timer(const longshore_host* host) : state_(std::make_shared<State>()) {
    state_->host = host;
  }
  ~Timer() { cancel(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Runs `function` after `delay`, in place of what was set before. It is not run when the instance
  // is stopped first. An error: the agent is too old, or the instance is stopped.
  Result<void> start(std::chrono::nanoseconds delay, std::function<void()> function) {
    cancel_set();
    const longshore_host* const host = state_->host;
    const auto failed = [](const char* why) {
      return Error(StatusCode::kFailedPrecondition, "set a timer").because(why);
    };
    if (!has(host, &longshore_host::set_timer)) return failed("the agent's ABI has none");
    const std::lock_guard lock(state_->mutex);
    // Freed by `run`, or by `cancel_set` when that is not to come.
    auto* const set = new Set{state_, ++state_->generation};
    state_->function = std::move(function);
    const auto answer = host->set_timer(host, delay.count(), &Timer::run, set, &state_->timer);
    if (answer == LONGSHORE_OK) {
      state_->set = set;
      return {};
    }
    delete set;
    return failed("the instance is stopped");
  }

  // The function does not run any more, and is not running when this returns, unless this is called
  // from within it.
  void cancel() {
    cancel_set();
    std::unique_lock lock(state_->mutex);
    if (state_->running == std::this_thread::get_id()) return;
    state_->ran.wait(lock, [this] { return state_->running == std::thread::id(); });
  }

 private:
  struct State;
  // What one `start` leaves with the agent.
  struct Set {
    std::shared_ptr<State> state;
    uint64_t generation;
  };
  struct State {
    const longshore_host* host = nullptr;
    std::mutex mutex;
    std::condition_variable ran;
    std::function<void()> function;
    longshore_timer timer = 0;
    uint64_t generation = 0;  // of the last start, or cancel
    Set* set = nullptr;       // that is with the agent
    bool is_due = false;      // its time has come, and it was not cancelled since
    std::thread::id running;
  };

  void cancel_set() {
    const std::lock_guard lock(state_->mutex);
    ++state_->generation;
    state_->is_due = false;
    Set* const set = std::exchange(state_->set, nullptr);
    if (set && state_->host->cancel_timer(state_->host, state_->timer) == LONGSHORE_OK) delete set;
  }

  // Where the function runs already it is run once more there, afterwards.
  static void run(void* user, longshore_result answer) noexcept {
    const std::unique_ptr<Set> set(static_cast<Set*>(user));
    State& state = *set->state;
    std::unique_lock lock(state.mutex);
    if (state.generation != set->generation) return;
    state.set = nullptr;
    if (answer != LONGSHORE_OK) return;
    state.is_due = true;
    if (state.running != std::thread::id()) return;
    state.running = std::this_thread::get_id();
    while (std::exchange(state.is_due, false)) {
      std::function<void()> function = state.function;
      lock.unlock();
      detail::contain(state.host, function);
      function = nullptr;
      lock.lock();
    }
    state.running = {};
    state.ran.notify_all();
  }

  const std::shared_ptr<State> state_;
};

}  // namespace longshore
