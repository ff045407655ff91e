#include "router/timers.h"

#include "router/blocked_signals.h"

namespace longshore::router {

Timers::Timers() {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { run(); });
}

Timers::~Timers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
    changed_.notify_one();
  }
  thread_.join();
}

void Timers::arm(Timer& timer, Clock::time_point time) {
  const std::lock_guard lock(mutex_);
  if (timer.armed_) queue_.erase(queue_.iterator_to(timer));
  timer.time_ = time;
  timer.armed_ = true;
  queue_.insert(timer);
  if (time < wakes_at_) changed_.notify_one();
}

void Timers::disarm(Timer& timer) {
  const std::lock_guard lock(mutex_);
  if (!timer.armed_) return;
  queue_.erase(queue_.iterator_to(timer));
  timer.armed_ = false;
}

void Timers::wait_for_running() {
  if (std::this_thread::get_id() == thread_.get_id()) return;
  std::unique_lock lock(mutex_);
  ran_.wait(lock, [this] { return !is_running_; });
}

std::shared_ptr<Timer> Timers::take_due() {
  const auto now = Clock::now();
  while (!queue_.empty() && queue_.begin()->time_ <= now) {
    Timer& timer = *queue_.begin();
    queue_.erase(queue_.begin());
    timer.armed_ = false;
    // Null when the last reference is being dropped right now: its owner waits for our mutex.
    if (auto alive = timer.weak_from_this().lock()) return alive;
  }
  return nullptr;
}

void Timers::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (std::shared_ptr<Timer> due = take_due()) {
      is_running_ = true;
      lock.unlock();
      due->on_time();
      due.reset();  // before the lock: the last reference disarms, which takes it
      lock.lock();
      is_running_ = false;
      ran_.notify_all();
      continue;
    }
    if (queue_.empty()) {
      wakes_at_ = Clock::time_point::max();
      changed_.wait(lock);
    } else {
      wakes_at_ = queue_.begin()->time_;
      changed_.wait_until(lock, wakes_at_);
    }
    wakes_at_ = Clock::time_point::min();  // awake: arming need not wake us
  }
}

}  // namespace longshore::router
