#include "main/pending_events.h"

#include <algorithm>

namespace longshore {

void PendingEvents::listening(router::Call& call, std::string message) {
  std::shared_ptr<Reader> reader;
  {
    const std::lock_guard lock(mutex_);
    reader = reader_of(call);
    const auto is_listening = [](const Event& each) { return each.type == Type::kListening; };
    if (std::ranges::none_of(reader->events, is_listening)) {
      reader->events.push_back({Type::kListening, 0, std::move(message)});
    }
  }
  send_to(reader);
}

bool PendingEvents::request(router::Call& call, uint64_t id, std::string message) {
  std::shared_ptr<Reader> reader;
  {
    const std::lock_guard lock(mutex_);
    reader = reader_of(call);
    if (!has_room(*reader, message)) return false;
    reader->events.push_back({Type::kRequest, id, std::move(message)});
  }
  send_to(reader);
  return true;
}

void PendingEvents::gone(router::Call& call, uint64_t id, std::string message) {
  std::shared_ptr<Reader> reader;
  {
    const std::lock_guard lock(mutex_);
    reader = reader_of(call);
    auto kept = reader->events.begin();
    // A request that is on its way may be told.
    if (reader->is_sending && kept != reader->events.end()) ++kept;
    kept = std::find_if(kept, reader->events.end(), [&](const Event& each) {
      return each.type == Type::kRequest && each.id == id;
    });
    if (kept != reader->events.end()) {
      reader->events.erase(kept);
      return;
    }
    reader->events.push_back({Type::kGone, id, std::move(message)});
  }
  send_to(reader);
}

void PendingEvents::resume(router::Call& call) {
  std::shared_ptr<Reader> reader;
  {
    const std::lock_guard lock(mutex_);
    const auto found = readers_.find(&call);
    if (found == readers_.end()) return;
    reader = found->second;
  }
  send_to(reader);
}

void PendingEvents::remove(router::Call& call) {
  std::shared_ptr<Reader> last;  // let go of without the lock
  const std::lock_guard lock(mutex_);
  const auto found = readers_.find(&call);
  if (found == readers_.end()) return;
  last = std::move(found->second);
  readers_.erase(found);
}

std::shared_ptr<PendingEvents::Reader> PendingEvents::reader_of(router::Call& call) {
  std::shared_ptr<Reader>& reader = readers_[&call];
  if (!reader) {
    reader =
        std::make_shared<Reader>(std::static_pointer_cast<router::Call>(call.shared_from_this()));
  }
  return reader;
}

bool PendingEvents::has_room(const Reader& reader, const std::string& message) {
  size_t requests = 1;
  size_t bytes = message.size();
  for (const Event& each : reader.events) {
    if (each.type != Type::kRequest) continue;
    ++requests;
    bytes += each.message.size();
  }
  return requests <= kMaxRequests && bytes <= kMaxRequestBytes;
}

void PendingEvents::send_to(const std::shared_ptr<Reader>& reader) {
  const auto call = reader->call.lock();  // let go of without the lock
  std::unique_lock lock(mutex_);
  reader->again = true;
  if (std::exchange(reader->is_sending, true)) return;
  while (call && std::exchange(reader->again, false)) {
    while (!reader->events.empty()) {
      const std::string& message = reader->events.front().message;
      lock.unlock();
      const longshore_result answer = call->send(message);
      lock.lock();
      if (answer == LONGSHORE_WOULD_BLOCK) break;
      reader->events.pop_front();  // told, or nobody reads any more
    }
  }
  reader->is_sending = false;
  // One that ended before it was known here is not told of again.
  if (call && call->is_over()) readers_.erase(call.get());
}

}  // namespace longshore
