#include "rpc/server_connection.h"

#include <algorithm>
#include <utility>

namespace longshore::rpc {

namespace {

using Clock = std::chrono::steady_clock;

// Calls that there is no memory for are told so one at a time, as far as the client reads it.
constexpr size_t kMaxRefusedCalls = 16;

std::shared_ptr<MemoryAccount> part_of(const std::shared_ptr<MemoryAccount>& account) {
  return std::make_shared<MemoryAccount>(MemoryAccount::Options{.parent = account});
}

ServerResources completed(ServerResources resources, const Limits& limits) {
  if (!resources.memory) {
    resources.memory = std::make_shared<MemoryAccount>(
        MemoryAccount::Options{.name = "the connection", .limit = limits.max_memory_bytes});
  }
  return resources;
}

}  // namespace

ServerConnectionImpl::ServerConnectionImpl(std::unique_ptr<Transport> transport,
                                           ServiceHandler& handler, const Limits& limits,
                                           ServerResources resources)
    : Http2Connection(Http2Session::Role::kServer, std::move(transport), limits, resources.memory,
                      resources.flow),
      handler_(handler),
      told_text_(resources.told_text),
      memory_(resources.memory),
      call_memory_(part_of(memory_)),
      inbox_(std::make_shared<ResponseInbox>(
          executor(),
          UnsentLimits{part_of(memory_), limits.stream_unsent_bytes, limits.unsent_high_watermark},
          resources.thread)),
      request_head_(limits.max_header_bytes) {
  receive_budget().watch_calls(call_memory_, limits.call_bytes_high_watermark);
  call_memory_->watch([this, inbox = std::weak_ptr(inbox_)] {
    if (const auto present = inbox.lock()) present->post([this] { on_calls_released(); });
  });
}

// Closed already, unless the executor went away with operations under way.
ServerConnectionImpl::~ServerConnectionImpl() { end_calls(); }

void ServerConnectionImpl::start(std::function<void(std::string reason)> on_closed) {
  on_closed_ = std::move(on_closed);
  inbox_->set_receiver(
      std::shared_ptr<ResponseReceiver>(shared_from_this(), static_cast<ResponseReceiver*>(this)));
  // Its owner is told of the end, and lets go: otherwise each would keep the other, and the client
  // would wait for ever.
  guarded([this] {
    if (limits().preface_timeout.count() > 0) {
      set_alarm(preface_alarm_, limits().preface_timeout,
                [this] { close_connection("the client did not begin to speak HTTP/2 in time"); });
    }
  });
  if (!closed()) start_speaking();
}

Http2Stream* ServerConnectionImpl::open_stream(int32_t id) {
  // Calls whose client has gone still run; a client must not start ever more of those.
  if (inbox_->calls_alive() >= 2 * size_t{limits().max_concurrent_streams}) return nullptr;
  const MemoryAccount* full = nullptr;
  MemoryCharge held = MemoryCharge::take(memory_, kCallBytes, full);
  if (full && refused_ >= kMaxRefusedCalls) return nullptr;
  if (full) ++refused_;
  auto call = std::make_shared<ServerCall>(*this, inbox_, std::move(held), full);
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

void ServerConnectionImpl::on_calls_released() {
  if (closed()) return;
  turn([this] {
    const size_t replaceable = receive_budget().on_calls_released();
    if (replaceable > 0) session().consume_connection(replaceable);
  });
}

void ServerConnectionImpl::watch_requests() {
  if (receiving_ == 0) return request_alarm_.clear();
  if (closed() || earliest_deadline_ == kNever) return;
  if (request_alarm_.is_set() && request_alarm_at_ <= earliest_deadline_) return;
  request_alarm_at_ = earliest_deadline_;
  set_alarm(request_alarm_, std::max(request_alarm_at_ - Clock::now(), Clock::duration::zero()),
            [this] { turn([this] { end_late_requests(); }); });
}

// Some may have been given more time since.
void ServerConnectionImpl::end_late_requests() {
  const auto now = Clock::now();
  earliest_deadline_ = kNever;
  for (const auto& call : calls()) {
    if (!call->is_receiving()) continue;
    if (const auto deadline = call->request_deadline(); deadline > now) {
      earliest_deadline_ = std::min(earliest_deadline_, deadline);
    } else {
      call->end_late();
    }
  }
}

std::vector<std::shared_ptr<ServerCall>> ServerConnectionImpl::calls() const {
  std::vector<std::shared_ptr<ServerCall>> calls;
  calls.reserve(streams_.size());
  for (const auto& [id, stream] : streams_) {
    calls.push_back(std::static_pointer_cast<ServerCall>(stream));
  }
  return calls;
}

bool ServerConnectionImpl::on_gathered() {
  const bool has_room_again = inbox_->ends_congestion();
  if (has_room_again) {
    for (const auto& call : calls()) call->resume();
  }
  if (writable_.empty()) return has_room_again;
  const auto writable = std::exchange(writable_, {});
  for (const auto& call : writable) call->tell_writable();
  return true;
}

void ServerConnectionImpl::drain() {
  if (closed() || lingers() || drain_ != Drain::kNo) return;
  drain_ = Drain::kNoticed;
  // A client that hangs does not hold up the end of the others.
  set_alarm(drain_alarm_, limits().drain_ping_timeout,
            [this] { turn([this] { send_last_goaway(); }); });
  turn([this] { session().submit_shutdown_notice(); });
}

void ServerConnectionImpl::give_way(bool at_once) {
  if (closed()) return;
  const bool is_silent = preface_alarm_.is_set();
  if (!at_once && !is_silent) return drain();
  if (drain_ != Drain::kLastSent && !lingers()) turn([this] { send_last_goaway(); });
  // A client that does not even read.
  if (!closed() && is_idle()) close_connection("it was idle, and another client wants its place");
}

void ServerConnectionImpl::on_ping_answered(Http2Ping ping) {
  if (ping == Http2Ping::kProbe) {
    probe_alarm_.clear();
  } else if (drain_ == Drain::kNoticed) {
    send_last_goaway();
  }
}

void ServerConnectionImpl::probe(std::chrono::milliseconds patience) {
  if (closed() || lingers() || probe_alarm_.is_set()) return;
  set_alarm(probe_alarm_, patience,
            [this] { close_connection("the client did not answer a ping in time"); });
  turn([this] { session().submit_probe(); });
}

void ServerConnectionImpl::send_last_goaway() {
  if (lingers()) return;
  drain_ = Drain::kLastSent;
  set_alarm(drain_alarm_, limits().drain_timeout,
            [this] { close_connection("the drain took too long"); });
  session().submit_last_goaway();
}

void ServerConnectionImpl::close() { close_connection("closed by the server"); }

void ServerConnectionImpl::on_connection_closed(std::string reason) {
  end_calls();
  // Whoever holds the connection still, the executor does not wait for them.
  for (Alarm* alarm : {&preface_alarm_, &request_alarm_, &probe_alarm_, &drain_alarm_}) {
    alarm->clear();
  }
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
                                                         ServerResources resources) {
  return std::make_shared<ServerConnectionImpl>(std::move(transport), handler, limits,
                                                completed(std::move(resources), limits));
}

}  // namespace longshore::rpc
