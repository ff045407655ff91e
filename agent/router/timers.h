// Runs things at their time: deadlines of calls, posts of modules, checks of pools.
//
// One thread for the whole agent. It sleeps until the earliest time that it knew when it fell
// asleep; arming a later one, or disarming, wakes nobody. That keeps the usual call, which ends
// long before its deadline, free of system calls.
// Threads: any. Owner: the agent; everything armed must be gone or disarmed before it.
#pragma once

#include <boost/intrusive/set.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace longshore::router {

using Clock = std::chrono::steady_clock;

// Something with a time. It is kept alive while `on_time` runs, not before: who drops the last
// reference disarms it.
class Timer : public std::enable_shared_from_this<Timer>,
              public boost::intrusive::set_base_hook<
                  boost::intrusive::link_mode<boost::intrusive::normal_link>> {
 public:
  virtual ~Timer() = default;

  // Must not block. May arm itself again.
  virtual void on_time() = 0;

 private:
  friend class Timers;
  Clock::time_point time_;
  bool armed_ = false;

  friend bool operator<(const Timer& a, const Timer& b) { return a.time_ < b.time_; }
};

class Timers {
 public:
  Timers();
  ~Timers();
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // Calls `timer.on_time()` at `time` or soon after. Moves it if it is armed already.
  void arm(Timer& timer, Clock::time_point time);

  // Afterwards `on_time` does not begin any more; it may be running. Harmless if not armed.
  void disarm(Timer& timer);

  // Returns once the on_time() that runs now, if any, is over: what it uses may then be destroyed.
  // At once on the timers' own thread.
  void wait_for_running();

  // Whether the caller runs in an on_time().
  bool is_this_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  void run();
  // Takes the first timer that is due out of the queue; null when there is none. Locked.
  std::shared_ptr<Timer> take_due();

  std::mutex mutex_;
  std::condition_variable changed_;
  boost::intrusive::multiset<Timer> queue_;
  Clock::time_point wakes_at_ = Clock::time_point::max();
  bool stopping_ = false;
  bool is_running_ = false;  // an on_time()
  std::condition_variable ran_;
  std::thread thread_;
};

}  // namespace longshore::router
