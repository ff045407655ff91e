// The client's connection as its calls see it. The interface for users is in client.h.
//
// Threads: the transport's executor.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "rpc/client.h"
#include "rpc/client_call.h"
#include "rpc/http2_connection.h"

namespace longshore::rpc {

class ClientConnectionImpl final : public ClientConnection, public Http2Connection {
 public:
  ClientConnectionImpl(std::unique_ptr<Transport> transport, std::string authority,
                       const Limits& limits);
  ~ClientConnectionImpl() override;

  // ClientConnection
  void start(std::function<void(std::string reason)> on_closed) override;
  bool accepts_calls() const override { return !closed() && !goaway_; }
  bool was_told_to_go() const override { return goaway_; }
  std::shared_ptr<ClientCall> call(ClientCallOptions options, std::string request,
                                   std::shared_ptr<ClientCallHandler> handler) override;
  std::shared_ptr<ClientCall> open(ClientCallOptions options,
                                   std::shared_ptr<ClientCallHandler> handler) override;
  void close() override;

  const std::string& authority() const { return authority_; }
  // The call has got a stream.
  void adopt(std::shared_ptr<ClientCallImpl> call);
  std::shared_ptr<Http2Connection> keep() { return shared_from_this(); }

 private:
  // Http2Connection
  void on_connection_closed(std::string reason) override;
  // Http2Events
  Http2Stream* open_stream(int32_t) override { return nullptr; }
  void on_ping_answered(Http2Ping) override {}
  void on_goaway(Http2Error error, std::string_view text) override;

  std::shared_ptr<ClientCall> begin(ClientCallOptions options, std::optional<std::string> request,
                                    std::shared_ptr<ClientCallHandler> handler);
  void end_calls(const std::string& reason);

  const std::string authority_;
  std::function<void(std::string reason)> on_closed_;
  bool goaway_ = false;
  std::string goaway_reason_;  // when it was not a polite one
};

}  // namespace longshore::rpc
