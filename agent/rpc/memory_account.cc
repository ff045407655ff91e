#include "rpc/memory_account.h"

#include <utility>

namespace longshore::rpc {
namespace {

int64_t signed_of(size_t bytes) { return static_cast<int64_t>(bytes); }

}  // namespace

// What is still charged ends with whom it was charged to.
MemoryAccount::~MemoryAccount() {
  const size_t charged_above = above(used_.load());
  if (options_.parent) options_.parent->release(charged_above);
  if (options_.second_parent) options_.second_parent->release(charged_above);
}

const MemoryAccount* MemoryAccount::charge(size_t bytes) {
  const int64_t before = used_.fetch_add(signed_of(bytes));
  const size_t charged_above = above(before + signed_of(bytes)) - above(before);
  if (bytes > options_.limit || std::cmp_greater(before, options_.limit - bytes)) {
    count_refusal();
    undo(bytes, charged_above);
    return this;
  }
  if (charged_above == 0) return nullptr;
  const MemoryAccount* const full = charge_above(charged_above);
  if (!full) return nullptr;
  refusals_.fetch_add(1, std::memory_order_relaxed);
  undo(bytes, charged_above);
  return full;
}

const MemoryAccount* MemoryAccount::charge_above(size_t bytes) {
  const auto& parent = options_.parent;
  const auto& second = options_.second_parent;
  if (const auto* full = parent ? parent->charge(bytes) : nullptr) return full;
  const MemoryAccount* const full = second ? second->charge(bytes) : nullptr;
  if (full && parent) {
    parent->release(bytes);
    parent->count_refusal();  // an endpoint tells what its users' limits refuse, too
  }
  return full;
}

// Those below count it as it comes back to them.
void MemoryAccount::count_refusal() {
  refusals_.fetch_add(1, std::memory_order_relaxed);
  for (MemoryAccount* each : {options_.parent.get(), options_.second_parent.get()}) {
    if (each) each->count_refusal();
  }
}

void MemoryAccount::charge_always(size_t bytes) {
  const int64_t before = used_.fetch_add(signed_of(bytes));
  const size_t charged_above = above(before + signed_of(bytes)) - above(before);
  if (options_.parent) options_.parent->charge_always(charged_above);
  if (options_.second_parent) options_.second_parent->charge_always(charged_above);
}

void MemoryAccount::release(size_t bytes) {
  const int64_t before = used_.fetch_sub(signed_of(bytes));
  const int64_t after = before - signed_of(bytes);
  const size_t released = above(before) - above(after);
  if (options_.parent && released > 0) options_.parent->release(released);
  if (options_.second_parent && released > 0) options_.second_parent->release(released);
  if (std::cmp_less(after, notify_below_.load())) notify();
}

// Others may have charged and released meanwhile. What is charged above depends on nothing but how
// much is used, so the differences of all changes add up to the right sum in whatever order.
void MemoryAccount::undo(size_t bytes, size_t not_charged_above) {
  if (options_.parent) options_.parent->charge_always(not_charged_above);
  if (options_.second_parent) options_.second_parent->charge_always(not_charged_above);
  release(bytes);
}

void MemoryAccount::notify_below(size_t bytes) {
  notify_below_.store(bytes);
  if (std::cmp_less(used_.load(), bytes)) notify();
}

void MemoryAccount::notify() {
  if (notify_below_.exchange(0) != 0 && on_released_) on_released_();
}

std::string MemoryAccount::refusal() const {
  return options_.name + " has no more memory for this: " + std::to_string(used()) +
         " bytes are in use, the limit is " + std::to_string(options_.limit);
}

}  // namespace longshore::rpc
