// The messages of a server stream: of a handler that waits while its reader has no room, and of one
// that holds no thread.
//
//   Result<void> list(Context, const ListRequest&, Stream<Item>& items);  // server_stream()
//   void watch(Context, WatchRequest, StreamReply<Event> events);         // async_stream()
//
// Both stand in one table of the instance's, where `writable` and `cancel` find the one that they
// are meant for.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "longshore/abi.h"
#include "longshore/context.hpp"
#include "longshore/open_stream.hpp"
#include "longshore/result.hpp"

namespace longshore {

// The messages of a handler that waits: it holds a thread of the pool from its beginning to its
// end, so it is for streams that are as long as what they list. Valid while the handler runs.
template <typename Message>
class Stream {
 public:
  Stream(const Context& context, detail::OpenStreams& streams)
      : call_(context.handle()), streams_(streams), stream_(streams.open(context)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { streams_.remove(call_); }

  // Waits while the reader has no room. False: nobody listens any more, so return.
  bool send(const Message& message) { return stream_->send_patiently(message.SerializeAsString()); }

 private:
  const longshore_call call_;
  detail::OpenStreams& streams_;
  const std::shared_ptr<detail::OpenStream> stream_;
};

// A stream that holds no thread: it lives beyond its handler, until it is finished. For what waits
// for events, as a Watch, and may have a thousand readers.
//
//   void Feed::watch(Context, WatchRequest, StreamReply<Event> reply) {
//     const std::lock_guard lock(mutex_);
//     const uint64_t id = ++last_id_;
//     Reader& reader = readers_.try_emplace(id, std::move(reply)).first->second;
//     reader.reply.on_ready([this, id] { send_to(id); });
//     reader.reply.on_cancel([this, id] { forget(id); });  // erases it
//     send_to(reader);
//   }
//
//   open ───finish, or dropped: INTERNAL──────────────► finished: no function is called any more
//    └─► nobody listens (on_cancel) ──finish, or dropped──►┘
//
// It has to be finished also when nobody listens any more: only then may the module be stopped.
//
// FUNCTIONS. Those of one stream, and its handler before them, run one after another, so what only
// they use needs no lock. They are [completion]s: they must not block, since those of the
// instance's other streams wait meanwhile. They may do anything with the reply, also drop it. An
// exception ends as a line in the log, and the stream goes on. They are let go of when the stream
// is finished, so they may share what owns it.
//
// THREADS. Any; only moving and dropping it is for one that nobody else is beside. `finish` does
// not wait for a function that runs on another thread, so it may be called under a lock that this
// function takes, and what the function uses has to outlive it, as the service does.
// Owner: the module. Moved from, it is as one that is finished.
template <typename Message>
class StreamReply {
 public:
  explicit StreamReply(std::shared_ptr<detail::OpenStream> stream) : stream_(std::move(stream)) {}
  StreamReply(StreamReply&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  StreamReply& operator=(StreamReply&& other) noexcept {
    if (this != &other) {
      if (const auto dropped = std::exchange(stream_, std::exchange(other.stream_, nullptr))) {
        dropped->drop();
      }
    }
    return *this;
  }
  ~StreamReply() {
    if (stream_) stream_->drop();
  }

  // Never waits. After kNoRoom, on_ready will be called; until then it costs nothing to ask again.
  // Messages that several threads send at once come in any order.
  Sent send(const Message& message) {
    if (!stream_) return Sent::kNobodyListens;
    if (const auto sent = stream_->foreseen()) return *sent;  // spares making the bytes
    return stream_->send(message.SerializeAsString());
  }

  // Called each time when there is room after sends that were refused: once for all of them, and
  // not before one was. Another function takes its place.
  //
  // No room is lost: it may come before this is set. Set in the handler, which is where it belongs,
  // the function is not called before the handler has returned; set later, it may be called at
  // once, before this returns.
  void on_ready(std::function<void()> function) {
    if (stream_) stream_->on_ready(std::move(function));
  }

  // Called once, when nobody listens any more, and when it is set as on_ready's is. A reply that is
  // dropped from then on ends as CANCELLED.
  void on_cancel(std::function<void()> function) {
    if (stream_) stream_->on_cancel(std::move(function));
  }

  // The outcome, after all that was sent. The first counts, and a later one does nothing.
  void finish(const Result<void>& outcome) {
    if (!stream_) return;
    if (outcome) return stream_->finish(StatusCode::kOk, {});
    stream_->finish(outcome.error().code(), outcome.error().message());
  }

 private:
  std::shared_ptr<detail::OpenStream> stream_;
};

}  // namespace longshore
