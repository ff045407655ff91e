// Waits for other threads, with an end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace longshore::router {

// A value that one thread changes and another waits for.
template <typename T>
class Watched {
 public:
  template <typename Change>
  void change(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(value_);
    changed_.notify_all();
  }

  // False when the condition does not come true in time.
  template <typename Condition>
  bool wait(const Condition& condition, std::chrono::milliseconds time = std::chrono::seconds(30)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return condition(value_); });
  }

  T get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  T value_{};
};

}  // namespace longshore::router
