// How much of what a peer sends a connection holds in memory before anybody can use it.
//
// A message must be whole to be used. Small ones may come in pieces side by side: one half of the
// budget holds those pieces, and a stream that goes beyond it fails. Large ones, which need more
// than their stream's window, take turns on the other half: each waits with what its window let
// through until there is room for all of it, so that none waits for another in a circle.
//
// Threads: the connection's executor. Owner: the connection.
#pragma once

#include <cstddef>
#include <deque>

namespace longshore::rpc {

// Waits for room for a large message.
class BudgetWaiter {
 public:
  virtual ~BudgetWaiter() = default;
  // The room that reserve() did not have is there now.
  virtual void on_reserved() = 0;
};

class ReceiveBudget {
 public:
  explicit ReceiveBudget(size_t bytes) : half_(bytes / 2) {}

  // Counts held bytes, before and after. False: over the budget.
  bool change_held(size_t before, size_t after);

  // Room for a message of so many bytes. False: on_reserved() follows, unless it is given up.
  // A single one is always possible, however large.
  bool reserve(BudgetWaiter& waiter, size_t bytes);
  void give_back(size_t bytes);
  void give_up(const BudgetWaiter& waiter);

 private:
  struct Wait {
    BudgetWaiter* waiter;
    size_t bytes;
  };

  bool fits(size_t bytes) const { return reserved_ == 0 || reserved_ + bytes <= half_; }
  void serve_waiting();

  const size_t half_;
  size_t held_ = 0;
  size_t reserved_ = 0;
  std::deque<Wait> waiting_;  // first come, first served
};

}  // namespace longshore::rpc
