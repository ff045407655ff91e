#include "loader/bulkheads.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace longshore::loader {
namespace {

constexpr size_t kFewest = 64;  // kept, though nobody holds them

size_t most_running_of(const InstanceOptions& options) {
  if (options.max_calls_per_bulkhead != 0) return options.max_calls_per_bulkhead;
  return std::max<size_t>(options.max_concurrent_calls / 2, 1);
}

size_t most_waiting_of(const InstanceOptions& options) {
  return options.max_queued_calls_per_bulkhead.value_or(
      most_waiting_behind_one(options.max_queued_calls));
}

}  // namespace

size_t most_waiting_behind_one(size_t max_queued_calls) {
  constexpr size_t kMost = 2048;
  return std::min((max_queued_calls + 1) / 2, kMost);
}

Bulkheads::Bulkheads(const InstanceOptions& options)
    : options_(options),
      most_running_(most_running_of(options)),
      most_waiting_(most_waiting_of(options)),
      most_kept_(kFewest) {}

Bulkhead* Bulkheads::find(std::string_view key) {
  if (key.empty()) return nullptr;
  const auto found = all_.find(key);
  return found == all_.end() ? nullptr : &found->second;
}

Bulkhead* Bulkheads::obtain(std::string_view key) {
  if (key.empty()) return nullptr;
  if (Bulkhead* const known = find(key)) return known;
  if (all_.size() >= most_kept_) {
    std::erase_if(all_, [](const auto& each) { return each.second.holders == 0; });
    most_kept_ = 2 * all_.size() + kFewest;
  }
  const auto added = all_.try_emplace(std::string(key)).first;
  added->second.key = added->first;
  return &added->second;
}

bool Bulkheads::is_hopeless(const Bulkhead& bulkhead) const {
  return bulkhead.stuck > 0 && bulkhead.stuck >= options_.max_stuck_calls;
}

bool Bulkheads::is_crowded(const Bulkhead& bulkhead) const {
  return bulkhead.waiting.size() + bulkhead.coming >= most_waiting_;
}

std::string Bulkheads::stuck_keys() const {
  constexpr size_t kMostNamed = 4;
  constexpr size_t kMostBytes = 128;  // of each
  std::vector<std::pair<std::string_view, size_t>> stuck;
  for (const auto& [key, bulkhead] : all_) {
    if (bulkhead.stuck > 0) stuck.emplace_back(key, bulkhead.stuck);
  }
  std::ranges::sort(stuck);
  std::string text;
  for (size_t i = 0; i < std::min(stuck.size(), kMostNamed); ++i) {
    const auto& [key, count] = stuck[i];
    text += text.empty() ? " for \"" : ", \"";
    text += key.substr(0, kMostBytes);
    text += key.size() > kMostBytes ? "...\"" : "\"";
    if (count > 1) text += " (" + std::to_string(count) + ")";
  }
  if (stuck.size() > kMostNamed)
    text += " and " + std::to_string(stuck.size() - kMostNamed) + " more";
  return text;
}

}  // namespace longshore::loader
