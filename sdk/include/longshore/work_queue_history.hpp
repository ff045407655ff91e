// The last tries of a work queue's keys, for people who ask what happened to one.
//
// Bounded: a few tries a key, and bytes for all keys together. The key that was tried longest ago
// is forgotten first.
//
// Threads: one at a time. Owner: the work queue.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longshore {

class WorkQueueHistory {
 public:
  static constexpr size_t kTriesOfKey = 8;
  static constexpr size_t kMaxErrorBytes = 512;

  struct Try {
    std::chrono::steady_clock::time_point began_at;
    std::chrono::nanoseconds took{0};
    bool is_done = false;
    std::string error;  // why it is not; cut to kMaxErrorBytes
  };

  // With its error cut.
  static Try cut(Try whole) {
    if (whole.error.size() > kMaxErrorBytes) whole.error = whole.error.substr(0, kMaxErrorBytes);
    return whole;
  }

  // 0: nothing is remembered.
  explicit WorkQueueHistory(size_t most_bytes) : most_bytes_(most_bytes) {}
  WorkQueueHistory(const WorkQueueHistory&) = delete;
  WorkQueueHistory& operator=(const WorkQueueHistory&) = delete;

  // Where there is no memory it throws, and what it remembers stays as it counts.
  void add(const std::string& key, Try next) {
    if (most_bytes_ == 0) return;
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) {
      std::list<Key> added;
      added.push_back({key, {}, 0});
      by_key_.emplace(added.back().key, added.begin());
      keys_.splice(keys_.end(), added);
    } else {
      keys_.splice(keys_.end(), keys_, found->second);
    }
    Key& last = keys_.back();
    if (last.tries.size() == kTriesOfKey) last.tries.erase(last.tries.begin());
    last.tries.push_back(cut(std::move(next)));
    bytes_ -= std::exchange(last.bytes, bytes_of(last));
    bytes_ += last.bytes;
    while (bytes_ > most_bytes_ && !keys_.empty()) forget_oldest();
  }

  // The oldest first; none: nothing is remembered.
  std::vector<Try> of(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? std::vector<Try>() : found->second->tries;
  }

 private:
  struct Key {
    std::string key;
    std::vector<Try> tries;
    size_t bytes = 0;  // of it that are counted
  };
  // What the list and the table need beside a key.
  static constexpr size_t kNodeBytes = 128;

  static size_t bytes_of(const Key& key) {
    size_t bytes = kNodeBytes + sizeof(Key) + key.key.capacity();
    for (const Try& each : key.tries) bytes += each.error.capacity();
    return bytes + key.tries.capacity() * sizeof(Try);
  }

  void forget_oldest() {
    bytes_ -= keys_.front().bytes;
    by_key_.erase(keys_.front().key);
    keys_.pop_front();
  }

  const size_t most_bytes_;
  size_t bytes_ = 0;
  std::list<Key> keys_;  // whose last try is oldest first
  std::unordered_map<std::string_view, std::list<Key>::iterator> by_key_;
};

}  // namespace longshore
