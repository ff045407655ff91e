// Threads that work is posted to: an instance's calls, the audit log's lines, the agent's own
// calls.
//
// Threads are started only when they are needed: at once for the first, later when work has waited
// for a millisecond because all others are busy. So quick calls share few threads (less memory,
// fewer switches) and slow ones do not hold up the rest. A thread that has had nothing to do for
// two seconds ends, on Windows for ten.
//
// A thread that is stuck in the kernel is reported lost and replaced; when it comes back it ends.
// Threads: any. Owner: whoever posts; the threads share the state, so one that comes back after the
// pool is gone does no harm.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "router/timers.h"

namespace longshore::router {

// Something to do.
class Work {
 public:
  virtual ~Work() = default;
  virtual void run() = 0;
};

// A function as something to do.
std::shared_ptr<Work> work_of(std::function<void()> function);

class WorkerPool {
 public:
  // `name` is shown as the threads' name, cut to what the system allows.
  WorkerPool(Timers& timers, std::string name, size_t max_threads);
  // Lets go of the threads; those that wait end. Call `drain` first to be sure of the others.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `work` on a thread of the pool, in the order of posting as far as there are threads.
  void post(std::shared_ptr<Work> work);
  void post(std::function<void()> function) { post(work_of(std::move(function))); }

  // One thread more, or again one fewer, than `max_threads`: for one that is stuck.
  void thread_lost();
  void thread_returned();

  // Starts no more work, lets go of what waits, and waits until all threads have ended. False when
  // the time is over.
  bool drain(Clock::time_point deadline);

  size_t threads() const;
  // Whether the caller runs on a thread of this pool.
  bool is_this_thread() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace longshore::router
