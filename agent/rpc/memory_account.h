// Bytes that are held for somebody, counted from the first to the last, within a limit.
//
// Accounts form a tree: what is charged to one is charged to those above it too, and a charge for
// which one of them has no room is refused as a whole.
//
//   process ◄── endpoint ◄── peer of the endpoint ◄── connection ◄── requests, unsent answers
//
// An account may have a second one above it, for a limit that goes across the tree: what one user
// holds, whichever container it is in.
//
// A part of an account may be guaranteed: it is not charged to the account above, so nobody else
// can use up what it needs.
//
// Threads: any, but for watch(). Owner: shared by the accounts below it and by its charges.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace longshore::rpc {

class MemoryAccount {
 public:
  struct Options {
    std::string name;  // for messages: "the endpoint volume-v1 (agent.limits....)"
    size_t limit = std::numeric_limits<size_t>::max();
    size_t guaranteed = 0;
    // It is charged above in multiples of this, a power of two, so that most small charges touch
    // nothing but this account.
    size_t step = 1;
    // So much is charged above as soon as anything is, so that this account has it to the end.
    size_t reserve = 0;
    std::shared_ptr<MemoryAccount> parent = {};
    std::shared_ptr<MemoryAccount> second_parent = {};  // charged as `parent` is
  };

  explicit MemoryAccount(Options options) : options_(std::move(options)) {}
  ~MemoryAccount();
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  // Null: charged. Otherwise nothing was, and this account has no room.
  [[nodiscard]] const MemoryAccount* charge(size_t bytes);
  // For what is there already and cannot be refused; it may lead above the limit.
  void charge_always(size_t bytes);
  void release(size_t bytes);

  size_t used() const {
    return static_cast<size_t>(std::max(int64_t{0}, used_.load(std::memory_order_relaxed)));
  }
  size_t limit() const { return options_.limit; }
  const std::string& name() const { return options_.name; }
  // Charges that had no room: here, in the account below that asked, or in one above. So that of an
  // endpoint tells also what its peers' own limits refuse.
  uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }
  // Why a charge was refused.
  std::string refusal() const;

  // Who is told when less is used again. Before the first charge, by the owner.
  void watch(std::function<void()> on_released) { on_released_ = std::move(on_released); }
  // Calls the watcher once, as soon as less than `bytes` is used, on the thread that releases it or
  // on this one.
  void notify_below(size_t bytes);

 private:
  // What is charged to the account above while so much is used.
  size_t above(int64_t used) const {
    if (std::cmp_less_equal(used, options_.guaranteed)) return 0;
    const size_t bytes = static_cast<size_t>(used) - options_.guaranteed;
    return std::max(options_.reserve, (bytes + options_.step - 1) & ~(options_.step - 1));
  }
  void count_refusal();
  const MemoryAccount* charge_above(size_t bytes);
  void undo(size_t bytes, size_t not_charged_above);
  void notify();

  const Options options_;
  // Below zero for a moment, when one thread has released above what another is about to charge.
  std::atomic<int64_t> used_{0};
  std::atomic<size_t> notify_below_{0};  // 0: nobody waits
  std::atomic<uint64_t> refusals_{0};
  std::function<void()> on_released_;
};

// Some bytes of an account, released at its end.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  // Empty when the account, or one above it, has no room: `full` says which.
  static MemoryCharge take(const std::shared_ptr<MemoryAccount>& account, size_t bytes,
                           const MemoryAccount*& full) {
    full = account->charge(bytes);
    return full ? MemoryCharge() : MemoryCharge(account, bytes);
  }
  ~MemoryCharge() { clear(); }
  MemoryCharge(MemoryCharge&& other) noexcept
      : account_(std::move(other.account_)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    if (this == &other) return *this;
    clear();
    account_ = std::move(other.account_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }

  size_t bytes() const { return bytes_; }
  void clear() {
    if (bytes_ > 0) account_->release(std::exchange(bytes_, 0));
    account_.reset();
  }

 private:
  MemoryCharge(std::shared_ptr<MemoryAccount> account, size_t bytes)
      : account_(std::move(account)), bytes_(bytes) {}

  std::shared_ptr<MemoryAccount> account_;
  size_t bytes_ = 0;
};

}  // namespace longshore::rpc
