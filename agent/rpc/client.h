// The client role of gRPC over HTTP/2, on any Transport: unary calls and server streams.
//
// Used by longshorectl towards the agent and by the agent towards CSI drivers. Sends no keepalive
// pings (grpc-go answers them with GOAWAY), retries what the server refused unseen
// (REFUSED_STREAM, or above GOAWAY's last id) once, and maps HTTP answers of something that is not
// a gRPC server to a status by the table of gRPC's specification.
//
// Threads: everything on the transport's executor, but `ClientCall::cancel` from any.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "longshore/result.hpp"
#include "rpc/metadata.h"
#include "rpc/server.h"
#include "rpc/transport.h"

namespace longshore::rpc {

// What became of a call.
struct Outcome {
  StatusCode code = StatusCode::kUnknown;
  std::string text;
  Metadata trailers;
};

// Receives the answer of one call. Owner: the caller, until `on_finish` has been called.
class ClientCallHandler {
 public:
  virtual ~ClientCallHandler() = default;
  virtual void on_message(std::string message) = 0;
  // Exactly once, and last.
  virtual void on_finish(Outcome outcome) = 0;
};

struct ClientCallOptions {
  std::string path;  // "/csi.v1.Identity/Probe"
  std::optional<std::chrono::nanoseconds> timeout;
  Metadata metadata;
};

// A running call. Dropping it does not cancel it.
class ClientCall {
 public:
  virtual ~ClientCall() = default;
  // [any thread] `on_finish` follows with CANCELLED unless the call was already over.
  virtual void cancel() = 0;
  // Further request messages of a bidirectional call (reflection). [executor]
  virtual void send(std::string message) = 0;
  virtual void half_close() = 0;
  // Allows so many more messages to be read; used when flow is manual. [executor]
  virtual void grant(uint32_t messages) = 0;
};

// Owner: a shared pointer of the user's.
class ClientConnection {
 public:
  virtual ~ClientConnection() = default;

  virtual void start(std::function<void(std::string reason)> on_closed) = 0;

  // Unary or server streaming: one request, then half-closed.
  virtual std::shared_ptr<ClientCall> call(ClientCallOptions options, std::string request,
                                           std::shared_ptr<ClientCallHandler> handler) = 0;

  // Bidirectional: requests by ClientCall::send, then half_close.
  virtual std::shared_ptr<ClientCall> open(ClientCallOptions options,
                                           std::shared_ptr<ClientCallHandler> handler) = 0;

  virtual void close() = 0;
};

std::shared_ptr<ClientConnection> make_client_connection(std::unique_ptr<Transport> transport,
                                                         std::string authority,
                                                         const Limits& limits);

}  // namespace longshore::rpc
