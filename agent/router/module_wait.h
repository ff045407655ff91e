// Tells that a thread waits for code of a module, which may take as long as that module's timeouts
// allow: whoever looks at the thread's Progress then sees no fault of the agent's.
//
// Threads: those that have a WatchedThread; for all others it does nothing.
#pragma once

#include <utility>

#include "router/progress.h"

namespace longshore::router {

// While it lives, the waits of this thread are told to `progress`.
class WatchedThread {
 public:
  explicit WatchedThread(Progress& progress) : before_(std::exchange(current(), &progress)) {}
  ~WatchedThread() { current() = before_; }
  WatchedThread(const WatchedThread&) = delete;
  WatchedThread& operator=(const WatchedThread&) = delete;

 private:
  friend class ModuleWait;
  static Progress*& current() {
    thread_local Progress* progress = nullptr;
    return progress;
  }

  Progress* const before_;
};

// One such wait.
class ModuleWait {
 public:
  ModuleWait() : progress_(WatchedThread::current()) {
    if (progress_) progress_->begin_module_wait();
  }
  ~ModuleWait() {
    if (progress_) progress_->end_module_wait();
  }
  ModuleWait(const ModuleWait&) = delete;
  ModuleWait& operator=(const ModuleWait&) = delete;

 private:
  Progress* const progress_;
};

}  // namespace longshore::router
