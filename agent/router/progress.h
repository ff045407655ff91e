// Whether a thread that works off one thing after another goes on: what a watchdog looks at, from
// another thread and without waking it.
//
// It goes on when it has nothing to do, has made a step since it was looked at last, or waits for
// code of a module, whose time is limited elsewhere.
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

namespace longshore::router {

class Progress {
 public:
  // Something to do has come, and has ended.
  void on_begin() {
    ++open_;
    ++steps_;
  }
  void on_end() {
    --open_;
    ++steps_;
  }
  // The thread waits for a module; see ModuleWait.
  void begin_module_wait() {
    ++module_waits_;
    ++steps_;
  }
  void end_module_wait() {
    --module_waits_;
    ++steps_;
  }

  uint64_t steps() const { return steps_; }
  // Whether it has gone on since there were so many steps.
  bool went_on(uint64_t steps_before) const {
    return open_ == 0 || module_waits_ > 0 || steps_ != steps_before;
  }

 private:
  std::atomic<uint64_t> open_{0};
  std::atomic<uint64_t> module_waits_{0};
  std::atomic<uint64_t> steps_{0};
};

}  // namespace longshore::router
