#include "rpc/receive_budget.h"

#include <algorithm>

namespace longshore::rpc {

bool ReceiveBudget::change_held(size_t before, size_t after) {
  held_ = held_ - before + after;
  return after <= before || held_ <= half_;
}

bool ReceiveBudget::reserve(BudgetWaiter& waiter, size_t bytes) {
  if (!waiting_.empty() || !fits(bytes)) {
    waiting_.push_back({&waiter, bytes});
    return false;
  }
  reserved_ += bytes;
  return true;
}

void ReceiveBudget::give_back(size_t bytes) {
  reserved_ -= bytes;
  serve_waiting();
}

void ReceiveBudget::give_up(const BudgetWaiter& waiter) {
  std::erase_if(waiting_, [&](const Wait& wait) { return wait.waiter == &waiter; });
  serve_waiting();  // it may have been in front of a smaller one
}

void ReceiveBudget::serve_waiting() {
  while (!waiting_.empty() && fits(waiting_.front().bytes)) {
    const Wait next = waiting_.front();
    waiting_.pop_front();
    reserved_ += next.bytes;
    next.waiter->on_reserved();
  }
}

}  // namespace longshore::rpc
