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
  for (const auto& object : cache_->objects_) enqueue(object->key, false).is_initial = true;
  initial_left_ = queue_.size();
}

Subscription::State& Subscription::enqueue(const std::string& key, bool is_told) {
  const auto [found, is_new] = states_.try_emplace(key);
  State& state = found->second;
  if (is_new) {
    state.is_told = is_told;
    state.at = queue_.insert(queue_.end(), &*found);
  }
  return state;
}

void Subscription::dequeue(States::iterator found) {
  queue_.erase(found->second.at);
  if (found->second.is_initial) --initial_left_;
  states_.erase(found);
}

void Subscription::on_changed(const std::string& key, bool is_new) {
  State& state = enqueue(key, !is_new);
  state.last = nullptr;
  state.is_tombstone = false;
}

void Subscription::on_removed(const std::string& key, const ObjectCache::Kept& last,
                              bool is_tombstone) {
  const auto found = states_.find(key);
  if (found != states_.end() && !found->second.is_told) {
    dequeue(found);
    return;
  }
  State& state = enqueue(key, true);
  state.last = last;
  state.is_tombstone = is_tombstone;
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
  message.key = queue_.front()->first;
  const auto found = states_.find(message.key);
  State& state = found->second;
  message.type = state.is_initial ? Type::kInitial : Type::kUpsert;
  if (state.last) {
    message.type = Type::kDelete;
    message.object = std::move(state.last);
    message.is_tombstone = state.is_tombstone;
  } else {
    message.object = cache_->find(message.key);
  }
  dequeue(found);
  return message;
}

}  // namespace longshore::kube
