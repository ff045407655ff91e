// The server role of gRPC over HTTP/2, on any Transport.
//
//   transport ──► ServerConnection ──► ServiceHandler::start_call ──► ServerCallHandler
//                        ▲                                               (one per call)
//                        └────────── ServerStream (answers, from any thread)
//
// A connection speaks HTTP/2 with prior knowledge, accepts any :authority, and enforces Limits
// against peers that flood, stall or lie. What the calls mean is the handler's business.
//
// A request is decided on when its head is there, and complete by the time that its handler says,
// or it fails. Its bytes are charged to the connection's account until whoever has them lets go of
// what `on_message` handed over; a call costs kCallBytes besides for as long as anybody has its
// stream. While the client does not read, nothing more of its requests reaches a handler.
//
// Threads: connections and all handler functions run on the transport's executor (one thread at a
// time per connection). ServerStream may be used from any thread; it hops by itself and gathers
// what several threads answer at once into one wake-up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "rpc/executor_thread.h"
#include "rpc/fair_queue.h"
#include "rpc/limits.h"
#include "rpc/memory_account.h"
#include "rpc/metadata.h"
#include "rpc/transport.h"

namespace longshore::rpc {

// The head of a call.
struct CallHead {
  std::string path;  // "/v1.Filesystem/PathExists"
  std::optional<std::chrono::nanoseconds> timeout;
  Metadata metadata;  // without the protocol's own headers
};

// The answering side of one call. Owner: shared by the connection and whoever answers.
// [any thread], in every state; what comes after the end of the call does nothing.
class ServerStream {
 public:
  virtual ~ServerStream() = default;

  // Queues a message. False: it was taken, but the queue is over its limit, or the connection's,
  // because the client does not read; send no more until ServerCallHandler::on_writable. A message
  // for which the connection has no memory ends the call with RESOURCE_EXHAUSTED, see `refusal`.
  virtual bool send(std::string message) = 0;

  // Why a message was not taken, which the client is told. Nothing: all were.
  virtual std::optional<Error> refusal() const = 0;

  // Ends the call. `text` for people; trailers may be empty. What gRPC does not allow as metadata,
  // or the client does not take (8 KiB in all, mostly), is left out; a long text is cut.
  virtual void finish(StatusCode code, std::string text, Metadata trailers) = 0;

  // Both at once, for a unary answer: one wake-up.
  virtual void send_and_finish(std::string message) = 0;
};

// What a call's requests do. Made by ServiceHandler::start_call, destroyed by the connection when
// the call has ended on the wire. All functions run on the connection's executor and throw nothing.
class ServerCallHandler {
 public:
  virtual ~ServerCallHandler() = default;

  // A whole request message. `held` is to be kept as long as its bytes are.
  virtual void on_message(std::string message, MemoryCharge held) = 0;

  // The client will send no more.
  virtual void on_half_close() = 0;

  // Nobody waits for the answer any more: reset by the client, or the connection is gone. Not
  // called after `finish`. The deadline is the handler's own affair (CallHead::timeout).
  virtual void on_cancel() = 0;

  // The queue that `send` reported full has room again.
  virtual void on_writable() = 0;

  // By when the client has to have sent its last message, or the call ends with DEADLINE_EXCEEDED.
  // Asked for while it has not.
  virtual std::chrono::steady_clock::time_point request_deadline() const = 0;
};

// What a server serves. Owner: outlives its connections.
class ServiceHandler {
 public:
  virtual ~ServiceHandler() = default;

  // A call begins: its head is there, no more. `head` lives until this returns. Null: `stream` was
  // already finished (unknown method, not allowed, ...).
  virtual std::unique_ptr<ServerCallHandler> start_call(const CallHead& head,
                                                        std::shared_ptr<ServerStream> stream) = 0;
};

// One client. Owner: a shared pointer of the listener's; the connection also keeps itself alive
// while operations are under way.
class ServerConnection {
 public:
  virtual ~ServerConnection() = default;

  // Begins to speak. `on_closed` is called once, when the connection is gone for whatever reason,
  // with a sentence saying why (for the log).
  virtual void start(std::function<void(std::string reason)> on_closed) = 0;

  // Two-phase GOAWAY: a first with the highest stream id, a second after a round trip (or
  // Limits::drain_ping_timeout); then the calls that run may end within Limits::drain_timeout.
  // [executor]
  virtual void drain() = 0;

  // Whether nothing is under way: no call is open, and nothing that came is unread. [executor]
  virtual bool is_idle() const = 0;

  // Of an idle one: another is to have its place. As `drain`; without the round trip where the
  // client has not begun to speak or `at_once` says so, which closes it before this returns. A call
  // that crosses the last GOAWAY has not been served, and its client knows it. [executor]
  virtual void give_way(bool at_once) = 0;

  // Ends at once; running calls are cancelled. [executor]
  virtual void close() = 0;

  // Ends the connection unless the client answers a ping in time. [executor]
  virtual void probe(std::chrono::milliseconds patience) = 0;
};

// What one call holds besides its messages, at the most: here, at the router and in nghttp2.
inline constexpr size_t kCallBytes = 4096;
// What a connection holds that has nothing to do, here and at the endpoint: 25 KiB of it nghttp2,
// of which 16 are a buffer for the largest frame. What its client puts into HTTP/2's table of
// header fields, 4 KiB as that counts, comes on top.
inline constexpr size_t kConnectionBytes = 32u << 10;

// What a connection uses of its server's; all of it outlives the connection.
struct ServerResources {
  // What runs the transport's executor and calls in between; null where nothing does.
  ExecutorThread* thread = nullptr;
  // The connection's own account, with kConnectionBytes charged already. Null: it makes one, of
  // Limits::max_memory_bytes.
  std::shared_ptr<MemoryAccount> memory = nullptr;
  // With whom it shares its turns; null: it acts at once on all that it reads.
  std::shared_ptr<FairQueue::Flow> flow = nullptr;
  // What the text of each status becomes on its way to the client; null: it stays as it is.
  std::string (*told_text)(std::string_view text) = nullptr;
};

std::shared_ptr<ServerConnection> make_server_connection(std::unique_ptr<Transport> transport,
                                                         ServiceHandler& handler,
                                                         const Limits& limits,
                                                         ServerResources resources = {});

}  // namespace longshore::rpc
