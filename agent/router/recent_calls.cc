#include "router/recent_calls.h"

#include <algorithm>
#include <iterator>

namespace longshore::router {

void RecentCalls::add(const Answered& answered) {
  Digits digits;
  const std::string_view object = find_object(answered.request, *answered.method, digits);
  const std::lock_guard lock(mutex_);
  if (entries_.size() < kCapacity) {
    next_ = entries_.size();
    entries_.emplace_back();
  }
  Entry& entry = entries_[next_];
  next_ = (next_ + 1) % kCapacity;
  entry.handle = answered.handle;
  // Most calls are like those of a round before: comparing is cheaper than counting.
  if (entry.method != answered.method) entry.method = answered.method;
  if (entry.caller != answered.caller) entry.caller = answered.caller;
  entry.request_id = answered.request_id;
  entry.object = object.substr(0, kMaxObjectBytes);
  entry.started = answered.started;
  entry.took = answered.took;
  entry.code = answered.code;
  entry.text = answered.text.substr(0, kMaxTextBytes);
}

std::vector<RecentCalls::Entry> RecentCalls::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> all;
  all.reserve(entries_.size());
  const bool full = entries_.size() == kCapacity;
  const auto oldest = entries_.begin() + static_cast<std::ptrdiff_t>(full ? next_ : 0);
  all.insert(all.end(), oldest, entries_.end());
  all.insert(all.end(), entries_.begin(), oldest);
  return all;
}

}  // namespace longshore::router
