#include "rpc/server_connection.h"

#include <utility>

namespace longshore::rpc {

ServerConnectionImpl::ServerConnectionImpl(std::unique_ptr<Transport> transport,
                                           ServiceHandler& handler, const Limits& limits,
                                           ExecutorThread* thread)
    : Http2Connection(Http2Session::Role::kServer, std::move(transport), limits),
      handler_(handler),
      inbox_(std::make_shared<ResponseInbox>(executor(), limits.stream_unsent_bytes, thread)),
      request_head_(limits.max_header_bytes) {}

// Closed already, unless the executor went away with operations under way.
ServerConnectionImpl::~ServerConnectionImpl() { end_calls(); }

void ServerConnectionImpl::start(std::function<void(std::string reason)> on_closed) {
  on_closed_ = std::move(on_closed);
  inbox_->set_receiver(
      std::shared_ptr<ResponseReceiver>(shared_from_this(), static_cast<ResponseReceiver*>(this)));
  if (limits().preface_timeout.count() > 0) {
    set_alarm(limits().preface_timeout,
              [this] { close_connection("the client did not say anything in time"); });
  }
  start_speaking();
}

void ServerConnectionImpl::on_first_bytes() {
  if (drain_ == Drain::kNo) clear_alarm();
}

Http2Stream* ServerConnectionImpl::open_stream(int32_t id) {
  // Calls whose client has gone still run; a client must not start ever more of those.
  if (inbox_->calls_alive() >= 2 * size_t{limits().max_concurrent_streams}) return nullptr;
  auto call = std::make_shared<ServerCall>(*this, inbox_);
  Http2Stream* stream = call.get();
  streams_.emplace(id, std::move(call));
  request_head_.begin();
  return stream;
}

void ServerConnectionImpl::on_responses() {
  if (closed()) return;
  turn([this] { apply_waiting_responses(); });
}

void ServerConnectionImpl::apply_waiting_responses() {
  std::vector<Response> responses = std::exchange(responses_, {});
  if (inbox_->take(responses)) {
    applies_responses_ = true;
    for (Response& response : responses) response.call->apply(response);
    applies_responses_ = false;
    responses.clear();
  }
  responses_ = std::move(responses);
}

bool ServerConnectionImpl::on_gathered() {
  if (writable_.empty()) return false;
  const auto calls = std::exchange(writable_, {});
  for (const auto& call : calls) call->tell_writable();
  return true;
}

void ServerConnectionImpl::drain() {
  if (closed() || drain_ != Drain::kNo) return;
  drain_ = Drain::kNoticed;
  // A client that hangs does not hold up the end of the others.
  set_alarm(limits().drain_ping_timeout, [this] { turn([this] { send_last_goaway(); }); });
  turn([this] { session().submit_shutdown_notice(); });
}

void ServerConnectionImpl::on_ping_answered() {
  if (drain_ == Drain::kNoticed) send_last_goaway();
}

void ServerConnectionImpl::send_last_goaway() {
  drain_ = Drain::kLastSent;
  set_alarm(limits().drain_timeout, [this] { close_connection("the drain took too long"); });
  session().submit_last_goaway();
}

void ServerConnectionImpl::close() { close_connection("closed by the server"); }

void ServerConnectionImpl::on_connection_closed(std::string reason) {
  end_calls();
  if (on_closed_) std::exchange(on_closed_, nullptr)(std::move(reason));
}

void ServerConnectionImpl::end_calls() {
  inbox_->close();
  writable_.clear();
  const auto streams = std::exchange(streams_, {});
  for (const auto& [id, stream] : streams) stream->on_closed(Http2Error::kCancel);
}

std::shared_ptr<ServerConnection> make_server_connection(std::unique_ptr<Transport> transport,
                                                         ServiceHandler& handler,
                                                         const Limits& limits,
                                                         ExecutorThread* thread) {
  return std::make_shared<ServerConnectionImpl>(std::move(transport), handler, limits, thread);
}

}  // namespace longshore::rpc
