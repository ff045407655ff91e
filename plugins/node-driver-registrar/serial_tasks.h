// Runs functions one after the other, in their order, so that what they share needs no lock.
//
//   open ──stop──► closed: what waits, and what comes, is dropped
//
// They run on the thread that brings the first of them; who brings one meanwhile goes on at once.
// So a function may end timers and streams, though these wait for what runs in them.
//
// Threads: any; `stop` not from within a function. Owner: what the functions work on.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace longshore::node_driver_registrar {

class SerialTasks {
 public:
  void run(std::function<void()> task) {
    std::unique_lock lock(mutex_);
    if (is_stopped_) return;
    waiting_.push_back(std::move(task));
    if (std::exchange(is_running_, true)) return;
    while (!waiting_.empty()) {
      const std::function<void()> next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      try {
        next();
      } catch (...) {  // told of by whoever has called
        lock.lock();
        is_running_ = false;
        idle_.notify_all();
        throw;
      }
      lock.lock();
    }
    is_running_ = false;
    idle_.notify_all();
  }

  // No function runs any more when this returns.
  void stop() {
    std::unique_lock lock(mutex_);
    is_stopped_ = true;
    waiting_.clear();
    idle_.wait(lock, [this] { return !is_running_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  bool is_stopped_ = false;
  bool is_running_ = false;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace longshore::node_driver_registrar
