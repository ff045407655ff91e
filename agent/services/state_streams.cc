#include "services/state_streams.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace longshore::services {

void StateStreams::set(const std::string& key, std::string message, bool is_last) {
  std::vector<std::shared_ptr<Reader>> readers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [call, reader] : readers_) {
      if (!reader->reads(key)) continue;
      reader->pending.insert(key);
      if (is_last) {
        reader->last[key] = message;
      } else {
        reader->last.erase(key);
      }
      readers.push_back(reader);
    }
    if (is_last) {
      states_.erase(key);
    } else {
      states_[key] = std::move(message);
    }
  }
  for (const auto& reader : readers) send_to(reader);
}

Result<void> StateStreams::add(router::Call& call, const std::string& key) {
  const auto reader = std::make_shared<Reader>(
      std::static_pointer_cast<router::Call>(call.shared_from_this()), key);
  reader->is_synced = synced_.empty();
  {
    const std::lock_guard lock(mutex_);
    if (readers_.size() >= kMostReaders) {
      return Error(StatusCode::kResourceExhausted, "watch")
          .because(std::to_string(kMostReaders) + " calls watch already");
    }
    for (const auto& [each, message] : states_) {
      if (reader->reads(each)) reader->pending.insert(each);
    }
    readers_[&call] = reader;
  }
  send_to(reader);
  return {};
}

bool StateStreams::is_read(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(readers_,
                             [&](const auto& reader) { return reader.second->key == key; });
}

void StateStreams::finish(StatusCode code, const std::string& text) {
  std::map<const router::Call*, std::shared_ptr<Reader>> readers;
  {
    const std::lock_guard lock(mutex_);
    readers = readers_;
  }
  for (const auto& [identity, reader] : readers) {
    if (const auto call = reader->call.lock()) call->finish(code, text);
  }
}

void StateStreams::resume(router::Call& call) {
  std::shared_ptr<Reader> reader;
  {
    const std::lock_guard lock(mutex_);
    const auto found = readers_.find(&call);
    if (found == readers_.end()) return;
    reader = found->second;
  }
  send_to(reader);
}

void StateStreams::remove(router::Call& call) {
  std::shared_ptr<Reader> last;  // let go of without the lock
  const std::lock_guard lock(mutex_);
  const auto found = readers_.find(&call);
  if (found == readers_.end()) return;
  last = std::move(found->second);
  readers_.erase(found);
}

std::optional<StateStreams::Next> StateStreams::take_next(Reader& reader) const {
  if (reader.pending.empty()) {
    if (std::exchange(reader.is_synced, true)) return std::nullopt;
    return Next{{}, synced_};
  }
  Next next{*reader.pending.begin(), {}};
  reader.pending.erase(reader.pending.begin());
  const auto last = reader.last.extract(next.key);
  next.message = last.empty() ? states_.at(next.key) : last.mapped();
  return next;
}

// What has come for its key meanwhile is newer.
void StateStreams::put_back(Reader& reader, Next next) const {
  if (next.key.empty()) {
    reader.is_synced = false;
    return;
  }
  const bool is_newest = reader.pending.insert(next.key).second;
  if (is_newest && !states_.contains(next.key)) {
    reader.last.emplace(next.key, std::move(next.message));
  }
}

void StateStreams::send_to(const std::shared_ptr<Reader>& reader) {
  const auto call = reader->call.lock();  // let go of without the lock
  std::unique_lock lock(mutex_);
  reader->again = true;
  if (std::exchange(reader->is_sending, true)) return;
  while (call && std::exchange(reader->again, false)) {
    while (auto next = take_next(*reader)) {
      lock.unlock();
      const longshore_result answer = call->send(next->message);
      lock.lock();
      if (answer == LONGSHORE_OK) continue;
      if (answer == LONGSHORE_WOULD_BLOCK) put_back(*reader, *std::move(next));
      break;  // there will be room, or nobody reads any more
    }
  }
  reader->is_sending = false;
  // One that ended before it was added here is not told of again.
  if (call && call->is_over()) readers_.erase(call.get());
}

}  // namespace longshore::services
