#include "kube/watch_stream.h"

#include <utility>

#include "longshore/host/kube.pb.h"

namespace longshore::kube {
namespace {

host::v1::KubeEvent::Type type_of(CacheMessage::Type type) {
  using Event = host::v1::KubeEvent;
  switch (type) {
    case CacheMessage::Type::kInitial:
      return Event::TYPE_INITIAL;
    case CacheMessage::Type::kSynced:
      return Event::TYPE_SYNCED;
    case CacheMessage::Type::kUpsert:
      return Event::TYPE_UPSERT;
    case CacheMessage::Type::kDelete:
      return Event::TYPE_DELETE;
    case CacheMessage::Type::kReset:
      return Event::TYPE_RESET;
  }
  return Event::TYPE_UNSPECIFIED;
}

std::string bytes_of(const CacheMessage& message, const FieldMask& fields) {
  host::v1::KubeEvent event;
  event.set_type(type_of(message.type));
  event.set_key(message.key);
  if (message.object) event.set_object(fields.masked(message.object->json));
  event.set_is_tombstone(message.is_tombstone);
  return event.SerializeAsString();
}

std::string bytes_of(const std::string& cause) {
  host::v1::KubeEvent event;
  event.set_type(cause.empty() ? host::v1::KubeEvent::TYPE_CURRENT
                               : host::v1::KubeEvent::TYPE_BEHIND);
  event.set_cause(cause);
  return event.SerializeAsString();
}

}  // namespace

WatchStream::WatchStream(ApiLoop& loop, std::shared_ptr<router::Call> call,
                         std::shared_ptr<ObjectCache> cache, FieldMask fields)
    : loop_(loop),
      call_(std::move(call)),
      fields_(std::move(fields)),
      subscription_(std::move(cache), [this] { send_soon(); }) {}

void WatchStream::set_cause(const std::string& cause) {
  cause_ = cause;
  send_soon();
}

void WatchStream::send() {
  for (;;) {
    if (!waiting_) waiting_ = subscription_.next();
    if (!waiting_) break;
    // Refused for want of room, or nobody reads any more.
    if (call_->send(bytes_of(*waiting_, fields_)) != LONGSHORE_OK) return;
    waiting_.reset();
  }
  if (cause_ == told_cause_ || call_->send(bytes_of(cause_)) != LONGSHORE_OK) return;
  told_cause_ = cause_;
}

// Not inside of the change of the cache.
void WatchStream::send_soon() {
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->send();
  });
}

}  // namespace longshore::kube
