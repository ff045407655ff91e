#include "rpc/receive_budget.h"

#include <algorithm>
#include <utility>

namespace longshore::rpc {

void ReceiveBudget::watch_calls(std::shared_ptr<MemoryAccount> calls, size_t high_watermark) {
  calls_ = std::move(calls);
  high_watermark_ = high_watermark;
}

bool ReceiveBudget::calls_hold_much() {
  if (!calls_ || calls_->used() < high_watermark_) return false;
  calls_->notify_below(high_watermark_);
  return true;
}

bool ReceiveBudget::charge(size_t bytes) {
  const MemoryAccount* const full = account_ ? account_->charge(bytes) : nullptr;
  if (full) refusal_ = full->refusal();
  return full == nullptr;
}

bool ReceiveBudget::change_held(size_t before, size_t after) {
  if (after <= before) {
    if (account_ && after < before) account_->release(before - after);
  } else if (held_ - before + after > half_) {
    refusal_ = "the connection holds too much of messages that are not complete";
    return false;
  } else if (!charge(after - before)) {
    return false;
  }
  held_ = held_ - before + after;
  return true;
}

ReceiveBudget::Reservation ReceiveBudget::reserve(BudgetWaiter& waiter, size_t bytes) {
  if (!waiting_.empty() || !fits(bytes) || calls_hold_much()) {
    waiting_.push_back({&waiter, bytes});
    return Reservation::kWaits;
  }
  if (!charge(bytes)) return Reservation::kRefused;
  reserved_ += bytes;
  return Reservation::kGranted;
}

void ReceiveBudget::give_back(size_t bytes) {
  reserved_ -= bytes;
  if (account_) account_->release(bytes);
  serve_waiting();
}

void ReceiveBudget::give_up(const BudgetWaiter& waiter) {
  std::erase_if(waiting_, [&](const Wait& wait) { return wait.waiter == &waiter; });
  serve_waiting();  // it may have been in front of a smaller one
}

size_t ReceiveBudget::received(size_t bytes) {
  if (calls_hold_much()) {
    withheld_ += bytes;
    return 0;
  }
  return bytes + std::exchange(withheld_, 0);
}

size_t ReceiveBudget::on_calls_released() {
  if (calls_hold_much()) return 0;
  serve_waiting();
  return std::exchange(withheld_, 0);
}

void ReceiveBudget::serve_waiting() {
  while (!waiting_.empty() && fits(waiting_.front().bytes) && !calls_hold_much()) {
    const Wait next = waiting_.front();
    waiting_.pop_front();
    if (charge(next.bytes)) {
      reserved_ += next.bytes;
      next.waiter->on_reserved();
    } else {
      next.waiter->on_reservation_refused();
    }
  }
}

}  // namespace longshore::rpc
