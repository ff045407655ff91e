// What is counted by key, for so many keys at once; all others are counted together. For keys that
// clients can make up.
//
// A value is made of the time at which it begins, and says by `is_idle(now)` whether it may be
// forgotten: then another key takes its place.
// Threads: one at a time. Owner: what counts.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <utility>

#include "router/timers.h"

namespace longshore::router {

template <typename Key, typename Value>
class BoundedCounts {
 public:
  // `others`: the key of all for which there is no room.
  BoundedCounts(size_t max_keys, Key others) : max_keys_(max_keys), others_(std::move(others)) {}

  Value& at(const Key& key, Clock::time_point now) {
    const auto known = values_.find(key);
    if (known != values_.end()) return known->second;
    if (values_.size() >= max_keys_ && now >= next_clearing_) {
      next_clearing_ = now + std::chrono::seconds(1);  // it looks at all of them
      std::erase_if(values_, [&](const auto& each) { return each.second.is_idle(now); });
    }
    const bool has_room = values_.size() < max_keys_;
    return values_.try_emplace(has_room ? key : others_, Value{now}).first->second;
  }

  // Each with its key.
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }

 private:
  const size_t max_keys_;
  const Key others_;
  std::map<Key, Value> values_;
  Clock::time_point next_clearing_{};
};

}  // namespace longshore::router
