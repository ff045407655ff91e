// How much of what a peer sends a connection holds in memory before anybody can use it.
//
// A message must be whole to be used. Small ones may come in pieces side by side: one half of the
// budget holds those pieces, and a stream that goes beyond it fails. Large ones, which need more
// than their stream's window, take turns on the other half: each waits with what its window let
// through until there is room for all of it, so that none waits for another in a circle.
//
// A server's budget also knows how much its calls under way hold. While that is much, large
// messages wait, and the peer may send no further data than the connection's window lets it. Those
// calls end without any bytes from the peer, so nobody waits for ever; headers, resets and window
// updates are not data and are read all the while.
//
// Threads: the connection's executor. Owner: the connection.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "rpc/memory_account.h"

namespace longshore::rpc {

// Waits for room for a large message.
class BudgetWaiter {
 public:
  virtual ~BudgetWaiter() = default;
  // The room that reserve() did not have is there now.
  virtual void on_reserved() = 0;
  // There will be none.
  virtual void on_reservation_refused() = 0;
};

class ReceiveBudget {
 public:
  // `account` is charged with what is held; null: nothing is.
  explicit ReceiveBudget(size_t bytes, std::shared_ptr<MemoryAccount> account = nullptr)
      : half_(bytes / 2), account_(std::move(account)) {}

  // A server's: what its calls under way hold, and how much of that is much. Whoever watches the
  // account calls on_calls_released().
  void watch_calls(std::shared_ptr<MemoryAccount> calls, size_t high_watermark);

  // Counts held bytes, before and after. False: there is no room, see refusal(), and nothing has
  // changed.
  bool change_held(size_t before, size_t after);
  const std::string& refusal() const { return refusal_; }

  // Room for a message of so many bytes. kWaits: on_reserved() or on_reservation_refused() follows,
  // unless it is given up. A single one always has room in the budget, however large.
  enum class Reservation { kGranted, kWaits, kRefused };
  Reservation reserve(BudgetWaiter& waiter, size_t bytes);
  void give_back(size_t bytes);
  void give_up(const BudgetWaiter& waiter);

  // So many bytes of data came. How many the peer may replace on the connection.
  size_t received(size_t bytes);
  // The calls hold less again. How many withheld bytes the peer may replace.
  size_t on_calls_released();

 private:
  struct Wait {
    BudgetWaiter* waiter;
    size_t bytes;
  };

  bool fits(size_t bytes) const { return reserved_ == 0 || reserved_ + bytes <= half_; }
  // Asks to be told when they no longer do.
  bool calls_hold_much();
  bool charge(size_t bytes);
  void serve_waiting();

  const size_t half_;
  const std::shared_ptr<MemoryAccount> account_;
  std::shared_ptr<MemoryAccount> calls_;
  size_t high_watermark_ = 0;
  size_t held_ = 0;
  size_t reserved_ = 0;
  size_t withheld_ = 0;
  std::string refusal_;
  std::list<Wait> waiting_;  // first come, first served; empty it takes no memory
};

}  // namespace longshore::rpc
