#include "kube/subscription.h"

#include <utility>

namespace longshore::kube {

Subscription::Subscription(std::shared_ptr<ObjectCache> cache, std::function<void()> on_ready)
    : cache_(std::move(cache)), on_ready_(std::move(on_ready)) {
  cache_->subscriptions_.insert(this);
  begin_anew(false);
}

Subscription::~Subscription() { cache_->subscriptions_.erase(this); }

void Subscription::begin_anew(bool is_reset) {
  queue_.clear();
  states_.clear();
  has_reset_ = has_reset_ || is_reset;
  is_synced_ = false;
  for (const auto& [key, object] : cache_->objects_) {
    auto& entry = *states_.try_emplace(key).first;
    entry.second.is_initial = true;
    enqueue(entry);
  }
  initial_left_ = queue_.size();
}

void Subscription::enqueue(States::value_type& entry) {
  if (!entry.second.at) entry.second.at = queue_.insert(queue_.end(), &entry);
}

void Subscription::dequeue(States::value_type& entry) {
  State& state = entry.second;
  queue_.erase(*std::exchange(state.at, std::nullopt));
  if (std::exchange(state.is_initial, false)) --initial_left_;
}

void Subscription::on_changed(const std::string& key) {
  auto& entry = *states_.try_emplace(key).first;
  entry.second.last = nullptr;
  entry.second.is_tombstone = false;
  enqueue(entry);
}

void Subscription::on_removed(const std::string& key, const ObjectCache::Kept& last,
                              bool is_tombstone) {
  const auto found = states_.find(key);
  if (found == states_.end()) return;
  State& state = found->second;
  if (!state.is_told) {
    dequeue(*found);
    states_.erase(found);
    return;
  }
  state.last = last;
  state.is_tombstone = is_tombstone;
  enqueue(*found);
}

bool Subscription::is_ready() const {
  return has_reset_ || !queue_.empty() || (!is_synced_ && cache_->is_synced());
}

void Subscription::tell() {
  if (is_idle_ && is_ready()) {
    is_idle_ = false;
    on_ready_();
  }
}

std::optional<CacheMessage> Subscription::next() {
  using Type = CacheMessage::Type;
  CacheMessage message;
  is_idle_ = !is_ready();
  if (is_idle_) return std::nullopt;
  if (std::exchange(has_reset_, false)) {
    message.type = Type::kReset;
    return message;
  }
  if (!is_synced_ && initial_left_ == 0) {
    is_synced_ = true;
    return message;
  }
  auto& entry = *queue_.front();
  State& state = entry.second;
  message.key = entry.first;
  message.type = state.is_initial ? Type::kInitial : Type::kUpsert;
  dequeue(entry);
  if (state.last) {
    message.type = Type::kDelete;
    message.object = std::move(state.last);
    message.is_tombstone = state.is_tombstone;
    states_.erase(message.key);
    return message;
  }
  state.is_told = true;
  message.object = cache_->find(message.key);
  return message;
}

}  // namespace longshore::kube
