// What a thread of this process does, as the system sees it: one that waits for a processor is not
// to be taken for one that blocks.
//
// Threads: made by the thread that is looked at; looked at by any while that one lives.
#pragma once

#include <chrono>
#include <memory>

namespace longshore::endpoint {

struct ThreadActivity {
  // It runs, or would if there were a processor for it. False where the system cannot tell.
  bool is_runnable = false;
  std::chrono::nanoseconds processor_time{0};  // so far; of use only while it is runnable
};

// Whether a thread that has been in one call between these two looks is held up by it: it blocks,
// or has spun for `patience` since. Being preempted for as long is neither.
inline bool is_held_up(const ThreadActivity& before, const ThreadActivity& now,
                       std::chrono::nanoseconds patience) {
  return !now.is_runnable || now.processor_time - before.processor_time >= patience;
}

class ThreadObserver {
 public:
  ThreadObserver();  // of the calling thread
  ~ThreadObserver();
  ThreadObserver(const ThreadObserver&) = delete;
  ThreadObserver& operator=(const ThreadObserver&) = delete;

  ThreadActivity look() const;

 private:
  struct Thread;
  const std::unique_ptr<const Thread> thread_;
};

}  // namespace longshore::endpoint
