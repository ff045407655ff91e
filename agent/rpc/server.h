// The server role of gRPC over HTTP/2, on any Transport.
//
//   transport ──► ServerConnection ──► ServiceHandler::start_call ──► ServerCallHandler
//                        ▲                                               (one per call)
//                        └────────── ServerStream (answers, from any thread)
//
// A connection speaks HTTP/2 with prior knowledge, accepts any :authority, and enforces Limits
// against peers that flood, stall or lie. What the calls mean is the handler's business.
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
#include "rpc/limits.h"
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

  // Queues a message. False: it was taken, but the queue is over its limit because the client does
  // not read; send no more until ServerCallHandler::on_writable.
  virtual bool send(std::string message) = 0;

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

  // A whole request message, decompressed.
  virtual void on_message(std::string message) = 0;

  // The client will send no more.
  virtual void on_half_close() = 0;

  // Nobody waits for the answer any more: reset by the client, or the connection is gone. Not
  // called after `finish`. The deadline is the handler's own affair (CallHead::timeout).
  virtual void on_cancel() = 0;

  // The queue that `send` reported full has room again.
  virtual void on_writable() = 0;
};

// What a server serves. Owner: outlives its connections.
class ServiceHandler {
 public:
  virtual ~ServiceHandler() = default;

  // A call begins; `head` lives until this returns. Null: `stream` was already finished (unknown
  // method, not allowed, ...).
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

  // Ends at once; running calls are cancelled. [executor]
  virtual void close() = 0;
};

// `thread`: what runs the transport's executor and calls in between; null where nothing does.
std::shared_ptr<ServerConnection> make_server_connection(std::unique_ptr<Transport> transport,
                                                         ServiceHandler& handler,
                                                         const Limits& limits,
                                                         ExecutorThread* thread = nullptr);

}  // namespace longshore::rpc
