// The client role of gRPC over HTTP/2, on any Transport: unary calls and server streams.
//
// Used by longshorectl towards the agent and by the agent towards CSI drivers. Sends no keepalive
// pings (grpc-go answers them with GOAWAY), retries what the server refused unseen
// (REFUSED_STREAM) once, and maps HTTP answers of something that is not a gRPC server to a status
// by the table of gRPC's specification.
//
// Threads: everything on the transport's executor, but `ClientCall::cancel` from any.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "longshore/result.hpp"
#include "rpc/limits.h"
#include "rpc/metadata.h"
#include "rpc/transport.h"

namespace longshore::rpc {

// What became of a call.
struct Outcome {
  StatusCode code = StatusCode::kUnknown;
  std::string text;
  Metadata head;  // what came before the first message
  Metadata trailers;
  // The server has certainly not begun to work on it: it may be called again elsewhere.
  bool unseen = false;
};

// Receives the answer of one call. Owner: shared by the caller and the call, until `on_finish`.
class ClientCallHandler {
 public:
  virtual ~ClientCallHandler() = default;
  virtual void on_message(std::string message) = 0;
  // Exactly once, and last. Never before the function that began the call has returned.
  virtual void on_finish(Outcome outcome) = 0;
};

struct ClientCallOptions {
  std::string path;  // "/csi.v1.Identity/Probe"
  // Sent as grpc-timeout, and enforced here too, in case the server is stuck.
  std::optional<std::chrono::nanoseconds> timeout;
  Metadata metadata;         // what gRPC does not allow to send is left out
  bool manual_flow = false;  // deliver only as many messages as ClientCall::grant permits
};

// A running call. Dropping it does not cancel it.
class ClientCall {
 public:
  virtual ~ClientCall() = default;
  // [any thread, while the executor lives] `on_finish` follows with CANCELLED unless the call was
  // already over.
  virtual void cancel() = 0;
  // Further request messages of a bidirectional call (reflection). [executor]
  virtual void send(std::string message) = 0;
  virtual void half_close() = 0;
  // Allows so many more messages to be delivered; used when flow is manual. [executor]
  virtual void grant(uint32_t messages) = 0;
};

// Owner: a shared pointer of the user's.
class ClientConnection {
 public:
  virtual ~ClientConnection() = default;

  // `on_closed` is called once, after all calls have finished.
  virtual void start(std::function<void(std::string reason)> on_closed) = 0;

  // Whether further calls can succeed. False once the server has said GOAWAY: what runs may end
  // here, what follows needs a new connection and finishes with UNAVAILABLE and `unseen`.
  virtual bool accepts_calls() const = 0;
  // Whether it was GOAWAY, be the connection closed since or not.
  virtual bool was_told_to_go() const = 0;

  // Unary or server streaming: one request, then half-closed.
  virtual std::shared_ptr<ClientCall> call(ClientCallOptions options, std::string request,
                                           std::shared_ptr<ClientCallHandler> handler) = 0;

  // Bidirectional: requests by ClientCall::send, then half_close.
  virtual std::shared_ptr<ClientCall> open(ClientCallOptions options,
                                           std::shared_ptr<ClientCallHandler> handler) = 0;

  // Ends at once; running calls finish with UNAVAILABLE.
  virtual void close() = 0;
};

std::shared_ptr<ClientConnection> make_client_connection(std::unique_ptr<Transport> transport,
                                                         std::string authority,
                                                         const Limits& limits);

}  // namespace longshore::rpc
