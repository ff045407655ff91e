// Calls an embedder's functions where the timers' thread would have to: one that blocks delays
// other such functions, and no deadline.
//
// Threads: `run` any; `finish` once. Owner: the embedded agent; the timers outlive it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "router/timers.h"
#include "router/worker_pool.h"

namespace longshore::embed {

class EventThread {
 public:
  explicit EventThread(router::Timers& timers) : timers_(timers), pool_(timers, "events", 1) {}

  // On the calling thread, unless that is the timers'.
  void run(std::function<void()> event) {
    if (timers_.is_this_thread()) {
      post(std::move(event));
    } else {
      event();
    }
  }

  // On the thread for events, in any case.
  void post(std::function<void()> event) {
    pool_.post([this, event = std::move(event)] {
      event();
      ++done_;
    });
  }

  // Waits for all that was posted, as long as one after another returns. False: one does not,
  // `patience` long.
  bool finish(std::chrono::nanoseconds patience) {
    timers_.wait_for_running();
    const auto last = std::make_shared<std::promise<void>>();
    auto is_last = last->get_future();
    pool_.post([last] { last->set_value(); });
    uint64_t seen = done_;
    while (is_last.wait_for(patience) != std::future_status::ready) {
      if (std::exchange(seen, done_.load()) == done_) return false;
    }
    return pool_.drain(router::Clock::now() + patience);
  }

 private:
  router::Timers& timers_;
  router::WorkerPool pool_;
  std::atomic<uint64_t> done_ = 0;
};

}  // namespace longshore::embed
