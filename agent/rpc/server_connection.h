// The server's connection as its calls see it. The interface for users is in server.h.
//
// Threads: the transport's executor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rpc/http2_connection.h"
#include "rpc/request_head.h"
#include "rpc/response_inbox.h"
#include "rpc/server.h"
#include "rpc/server_call.h"

namespace longshore::rpc {

class ServerConnectionImpl final : public ServerConnection,
                                   public Http2Connection,
                                   public ResponseReceiver {
 public:
  ServerConnectionImpl(std::unique_ptr<Transport> transport, ServiceHandler& handler,
                       const Limits& limits, ExecutorThread* thread);
  ~ServerConnectionImpl() override;

  // ServerConnection
  void start(std::function<void(std::string reason)> on_closed) override;
  void drain() override;
  void close() override;

  // ResponseReceiver
  void on_responses() override;

  ServiceHandler& handler() { return handler_; }
  // The head that is being received.
  RequestHead& request_head() { return request_head_; }
  // Answers that other threads gave before this moment come first.
  void apply_waiting_responses();
  // While those are gone through, whatever else is answered has to wait its turn among them.
  bool applies_responses() const { return applies_responses_; }
  void add_writable(std::shared_ptr<ServerCall> call) { writable_.push_back(std::move(call)); }

  // Response bytes in the queues of all calls.
  size_t unsent_bytes = 0;

 private:
  // Http2Connection
  void on_turn_begin() override { inbox_->enter_turn(); }
  void on_turn_end() override { inbox_->leave_turn(); }
  void on_first_bytes() override;
  bool on_gathered() override;
  void on_connection_closed(std::string reason) override;
  // Http2Events
  Http2Stream* open_stream(int32_t id) override;
  void on_ping_answered() override;
  void on_goaway(Http2Error, std::string_view) override {}

  void send_last_goaway();
  void end_calls();

  ServiceHandler& handler_;
  const std::shared_ptr<ResponseInbox> inbox_;
  RequestHead request_head_;
  std::function<void(std::string reason)> on_closed_;
  std::vector<std::shared_ptr<ServerCall>> writable_;
  std::vector<Response> responses_;  // kept for its memory
  bool applies_responses_ = false;
  enum class Drain : uint8_t { kNo, kNoticed, kLastSent } drain_ = Drain::kNo;
};

}  // namespace longshore::rpc
