#include "rpc/client_connection.h"

#include <utility>

namespace longshore::rpc {

ClientConnectionImpl::ClientConnectionImpl(std::unique_ptr<Transport> transport,
                                           std::string authority, const Limits& limits)
    : Http2Connection(Http2Session::Role::kClient, std::move(transport), limits),
      authority_(std::move(authority)) {}

// Closed already, unless the executor went away with operations under way.
ClientConnectionImpl::~ClientConnectionImpl() { end_calls("nobody uses it any more"); }

void ClientConnectionImpl::start(std::function<void(std::string reason)> on_closed) {
  on_closed_ = std::move(on_closed);
  start_speaking();
}

std::shared_ptr<ClientCall> ClientConnectionImpl::call(ClientCallOptions options,
                                                       std::string request,
                                                       std::shared_ptr<ClientCallHandler> handler) {
  return begin(std::move(options), std::move(request), std::move(handler));
}

std::shared_ptr<ClientCall> ClientConnectionImpl::open(ClientCallOptions options,
                                                       std::shared_ptr<ClientCallHandler> handler) {
  return begin(std::move(options), std::nullopt, std::move(handler));
}

std::shared_ptr<ClientCall> ClientConnectionImpl::begin(
    ClientCallOptions options, std::optional<std::string> request,
    std::shared_ptr<ClientCallHandler> handler) {
  auto call = std::make_shared<ClientCallImpl>(*this, std::move(options), std::move(handler));
  turn([&] { call->begin(std::move(request)); });
  return call;
}

void ClientConnectionImpl::adopt(std::shared_ptr<ClientCallImpl> call) {
  const int32_t id = call->id();
  streams_.emplace(id, std::move(call));
}

void ClientConnectionImpl::on_goaway(Http2Error error, std::string_view text) {
  goaway_ = true;
  if (error == Http2Error::kNoError) return;
  goaway_reason_ = "the server said GOAWAY with HTTP/2 error " +
                   std::to_string(static_cast<uint32_t>(error)) + " (" + std::string(text) + ")";
}

void ClientConnectionImpl::close() { close_connection("closed by the client"); }

void ClientConnectionImpl::on_connection_closed(std::string reason) {
  if (!goaway_reason_.empty()) reason = goaway_reason_;
  end_calls(reason);
  if (on_closed_) std::exchange(on_closed_, nullptr)(std::move(reason));
}

void ClientConnectionImpl::end_calls(const std::string& reason) {
  const auto streams = std::exchange(streams_, {});
  for (const auto& [id, stream] : streams) static_cast<ClientCallImpl&>(*stream).lose(reason);
}

std::shared_ptr<ClientConnection> make_client_connection(std::unique_ptr<Transport> transport,
                                                         std::string authority,
                                                         const Limits& limits) {
  return std::make_shared<ClientConnectionImpl>(std::move(transport), std::move(authority), limits);
}

}  // namespace longshore::rpc
