// Gives memory back to the system some time after who made the process hold it has gone: clients
// from the agent, calls from a module's process.
//
// The C library keeps what was freed, in case it is needed again; after a burst of large requests
// that is for ever. A process that nobody uses wakes up once for this and then no more.
//
//   at rest ──something_left()──► waiting ──kQuietTime──► give_back, which hands the work to
//   another thread ──► at rest
//
// What left while it waited may have been the last: then it waits once more, since modules may let
// go of a client's calls when he is gone.
//
// Threads: any; `give_back` is called on the timers'. Owner: the agent, or the hosted module.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <utility>

#include "router/timers.h"

namespace longshore::router {

class MemoryReturn final : public Timer {
 public:
  static constexpr std::chrono::seconds kQuietTime{3};

  // `give_back` must not block: it may take milliseconds to give memory back.
  MemoryReturn(Timers& timers, std::function<void()> give_back,
               std::chrono::milliseconds quiet_time = kQuietTime)
      : timers_(timers), give_back_(std::move(give_back)), quiet_time_(quiet_time) {}
  ~MemoryReturn() override { timers_.disarm(*this); }

  void something_left() {
    const std::lock_guard lock(mutex_);
    has_left_ = true;
    if (!waits_) wait();
  }

  void on_time() override {
    give_back_();
    const std::lock_guard lock(mutex_);
    waits_ = false;
    if (has_left_) wait();
  }

  // Whether the process has to wake up once more for this.
  bool waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  // Locked.
  void wait() {
    waits_ = true;
    has_left_ = false;
    timers_.arm(*this, Clock::now() + quiet_time_);
  }

  Timers& timers_;
  const std::function<void()> give_back_;
  const std::chrono::milliseconds quiet_time_;
  mutable std::mutex mutex_;
  bool waits_ = false;
  bool has_left_ = false;  // something, since it waits
};

}  // namespace longshore::router
