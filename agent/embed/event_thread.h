// Calls an embedder's functions where the timers' thread would have to: one that blocks delays
// other such functions, and no deadline.
//
// Threads: `run` any; `finish` once. Owner: the embedded agent; the timers outlive it.
#pragma once

#include <chrono>
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
      pool_.post(std::move(event));
    } else {
      event();
    }
  }

  // Waits for what was run. False: it does not return, or not in time.
  bool finish(router::Clock::time_point deadline) {
    timers_.wait_for_running();
    const auto last = std::make_shared<std::promise<void>>();
    pool_.post([last] { last->set_value(); });
    return last->get_future().wait_until(deadline) == std::future_status::ready &&
           pool_.drain(deadline);
  }

 private:
  router::Timers& timers_;
  router::WorkerPool pool_;
};

}  // namespace longshore::embed
