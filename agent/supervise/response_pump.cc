#include "supervise/response_pump.h"

#include <utility>

namespace longshore::supervise {

bool ResponsePump::add(std::string_view message) {
  {
    const std::lock_guard lock(mutex_);
    if (end_) return true;
    // What is being delivered at the moment has not been granted again either.
    if (messages_.size() + taken_ >= kStreamCredit) return false;
    messages_.emplace_back(message);
  }
  pump();
  return true;
}

void ResponsePump::end(StatusCode code, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    if (end_) return;
    end_ = End{code, std::move(text)};
  }
  pump();
}

void ResponsePump::pump() {
  std::unique_lock lock(mutex_);
  again_ = true;
  if (std::exchange(pumping_, true)) return;
  while (std::exchange(again_, false)) {
    if (deliver_all(lock)) return;
  }
  pumping_ = false;
}

bool ResponsePump::deliver_all(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    if (end_ && end_->code != StatusCode::kOk) messages_.clear();
    if (messages_.empty()) break;
    const std::string message = std::move(messages_.front());
    messages_.pop_front();
    lock.unlock();
    const longshore_result answer = deliver(message);
    lock.lock();
    if (answer == LONGSHORE_WOULD_BLOCK) {
      messages_.push_front(message);
      return false;
    }
    ++taken_;
    taken_bytes_ += message.size();
    if (taken_ < kStreamCredit / 2 && taken_bytes_ < kStreamBytes / 2) continue;
    const uint32_t taken = std::exchange(taken_, 0);
    taken_bytes_ = 0;
    lock.unlock();
    grant(taken);
    lock.lock();
  }
  if (!end_) return false;
  const End end = std::move(*end_);
  lock.unlock();
  finish(end.code, end.text);
  return true;  // nobody comes after it: pumping_ stays set
}

}  // namespace longshore::supervise
