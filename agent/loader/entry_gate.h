// Counts the threads that are inside a module's functions, so that nothing of an instance is freed
// under them: a module may finish a call long before its function returns.
//
//   open ──close──► closed to new ones, and waited for until the last has left
//
// Threads: any. Owner: an instance.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "router/timers.h"

namespace longshore::loader {

class EntryGate {
 public:
  // Lets nobody in any more, and waits for those who are. False: some are still inside.
  bool close(router::Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    return left_.wait_until(lock, deadline, [&] { return in_flight_ == 0; });
  }

 private:
  friend class InFlightGuard;

  // Whoever counts itself in and then sees the gate open was seen by close().
  bool enter() {
    ++in_flight_;
    return !closed_;
  }

  void leave() {
    if (--in_flight_ != 0 || !closed_) return;
    const std::lock_guard lock(mutex_);
    left_.notify_all();
  }

  std::atomic<size_t> in_flight_{0};
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::condition_variable left_;
};

// A thread inside of a module's function. Converts to false where the gate was closed: do not go in
// then.
class InFlightGuard {
 public:
  explicit InFlightGuard(EntryGate& gate) : gate_(gate), inside_(gate.enter()) {
    gate_of_this_thread = &gate;
  }
  ~InFlightGuard() {
    gate_of_this_thread = before_;
    gate_.leave();
  }
  InFlightGuard(const InFlightGuard&) = delete;
  InFlightGuard& operator=(const InFlightGuard&) = delete;
  explicit operator bool() const { return inside_; }

  // Whether this thread is inside a function of this gate's module, and of no other's that it
  // called.
  static bool is_inside(const EntryGate& gate) { return gate_of_this_thread == &gate; }

 private:
  static inline thread_local const EntryGate* gate_of_this_thread = nullptr;

  EntryGate& gate_;
  const bool inside_;
  const EntryGate* const before_ = gate_of_this_thread;
};

}  // namespace longshore::loader
