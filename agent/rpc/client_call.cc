#include "rpc/client_call.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "rpc/client_connection.h"
#include "rpc/field_block.h"
#include "rpc/metadata_codec.h"

namespace longshore::rpc {
namespace {

using Clock = std::chrono::steady_clock;

// A timeout of years would overflow the clock.
constexpr std::chrono::nanoseconds kLongestTimeout = std::chrono::hours(24 * 365);

Outcome outcome_of(StatusCode code, std::string text) {
  Outcome outcome;
  outcome.code = code;
  outcome.text = std::move(text);
  return outcome;
}

}  // namespace

ClientCallImpl::ClientCallImpl(ClientConnectionImpl& connection, ClientCallOptions options,
                               std::shared_ptr<ClientCallHandler> handler)
    : connection_(&connection),
      executor_(connection.executor()),
      options_(std::move(options)),
      handler_(std::move(handler)),
      intake_(connection.session(), connection.receive_budget(), *this, *this,
              connection.limits()) {
  if (options_.manual_flow) intake_.wait_for_allowance();
}

// ---- The request ----

void ClientCallImpl::begin(std::optional<std::string> request) {
  start_clock();
  if (request) {
    repeatable_ = true;
    send_queue().keep_sent();
    if (!queue_message(std::move(*request))) return give_up(too_large_to_send());
    send_queue().end();
  }
  submit();
}

void ClientCallImpl::start_clock() {
  if (!options_.timeout) return;
  deadline_ = Clock::now() + std::min(*options_.timeout, kLongestTimeout);
  timer_ = std::make_unique<boost::asio::steady_timer>(executor_, *deadline_);
  timer_->async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->within_turn([&] {
      self->finish(
          outcome_of(StatusCode::kDeadlineExceeded, "the deadline passed before the answer came"));
    });
  });
}

// Runs `act` so that what it queues is sent, if there is still somewhere to send it.
template <typename Act>
void ClientCallImpl::within_turn(Act&& act) {
  if (connection_ == nullptr) return act();
  const auto connection = connection_->keep();
  connection->turn(act);
}

void ClientCallImpl::submit() {
  if (!connection_->accepts_calls()) {
    Outcome outcome = outcome_of(StatusCode::kUnavailable, "the connection takes no more calls");
    outcome.unseen = true;
    return give_up(std::move(outcome));
  }
  FieldBlock block(connection_->session().peer_max_fields());
  block.add({":method", "POST"});
  block.add({":scheme", "http"});
  block.add({":path", options_.path});
  block.add({":authority", connection_->authority()});
  block.add({"te", "trailers"});
  block.add({"content-type", "application/grpc"});
  block.add({"user-agent", "longshore"});
  block.add({"grpc-accept-encoding", "identity"});
  if (deadline_) block.add_own("grpc-timeout", format_timeout(*deadline_ - Clock::now()));
  if (!block.add_metadata(options_.metadata) || !block.fits()) {
    return give_up(
        outcome_of(StatusCode::kResourceExhausted, "the metadata is larger than the server takes"));
  }
  if (!connection_->session().submit_request(*this, block.fields())) {
    return give_up(outcome_of(StatusCode::kUnavailable, "no stream is left"));
  }
  connection_->adopt(shared_from_this());
}

void ClientCallImpl::send(std::string message) {
  if (!handler_ || connection_ == nullptr || send_queue().ended()) return;
  within_turn([&] {
    if (!queue_message(std::move(message))) return finish(too_large_to_send());
    connection_->session().resume_body(*this);
  });
}

void ClientCallImpl::half_close() {
  if (!handler_ || connection_ == nullptr || send_queue().ended()) return;
  within_turn([&] {
    send_queue().end();
    connection_->session().resume_body(*this);
  });
}

bool ClientCallImpl::queue_message(std::string message) {
  if (message.size() > connection_->limits().max_send_message_bytes) return false;
  send_queue().push(std::move(message));
  return true;
}

Outcome ClientCallImpl::too_large_to_send() const {
  return outcome_of(StatusCode::kResourceExhausted,
                    "the request is larger than the limit of " +
                        std::to_string(connection_->limits().max_send_message_bytes) + " bytes");
}

// ---- The answer ----

void ClientCallImpl::on_field(std::string_view name, std::string_view value) {
  if (!fields_) fields_ = std::make_unique<ResponseFields>(connection_->limits().max_header_bytes);
  fields_->add(name, value);
}

void ClientCallImpl::on_fields_end() {
  const auto fields = std::exchange(fields_, nullptr);
  if (!fields || !handler_) return;
  if (fields->is_too_large()) {
    return finish(outcome_of(StatusCode::kResourceExhausted,
                             "the metadata of the answer is larger than the limit of " +
                                 std::to_string(connection_->limits().max_header_bytes) +
                                 " bytes"));
  }
  if (!head_seen_) return take_head(*fields);
  has_status_ = true;
  Metadata head = std::move(outcome_.head);
  outcome_ = fields->grpc_outcome();
  outcome_.head = std::move(head);
  outcome_.trailers = fields->take_metadata();
}

void ClientCallImpl::take_head(ResponseFields& fields) {
  if (fields.is_informational()) return;
  head_seen_ = true;
  send_queue().drop_sent();
  if (fields.has_status()) {  // the whole answer is in its head
    has_status_ = true;
    outcome_ = fields.grpc_outcome();
    outcome_.trailers = fields.take_metadata();
    return;
  }
  if (!fields.is_grpc()) return finish(fields.http_outcome());
  if (fields.is_compressed()) {
    return finish(outcome_of(StatusCode::kInternal,
                             "the answer's grpc-encoding is not supported, only identity is"));
  }
  outcome_.head = fields.take_metadata();
}

void ClientCallImpl::on_whole_message(std::string message) {
  if (handler_) handler_->on_message(std::move(message));
}

void ClientCallImpl::on_intake_fault(StatusCode code, std::string_view text) {
  finish(outcome_of(code, std::string(text)));
}

void ClientCallImpl::grant(uint32_t messages) {
  const auto keep = shared_from_this();
  within_turn([&] {
    if (!handler_) return;
    intake_.allow(messages);
    if (remote_ended_ && !intake_.has_backlog()) conclude();
  });
}

void ClientCallImpl::on_remote_end() {
  remote_ended_ = true;
  if (!intake_.has_backlog()) conclude();
}

void ClientCallImpl::conclude() {
  if (!handler_) return;
  if (!has_status_) {
    outcome_ = outcome_of(StatusCode::kUnknown, "the server ended the call without a status");
  } else if (outcome_.code == StatusCode::kOk && !intake_.is_empty()) {
    outcome_ = outcome_of(StatusCode::kInternal, "the answer ends within a message");
  }
  finish(std::move(outcome_));
}

// ---- The end ----

void ClientCallImpl::cancel() {
  if (over_.load(std::memory_order_acquire)) return;
  boost::asio::post(executor_, [self = shared_from_this()] {
    self->within_turn(
        [&] { self->finish(outcome_of(StatusCode::kCancelled, "cancelled by the caller")); });
  });
}

void ClientCallImpl::on_closed(Http2Error error) {
  const auto keep = shared_from_this();
  connection_->forget_stream(*this);
  if (handler_ && may_retry(error)) {
    retried_ = true;
    send_queue().rewind();
    return submit();
  }
  connection_ = nullptr;
  intake_.detach();
  if (!handler_ || remote_ended_) return;  // what is held back may still be asked for
  Outcome outcome = reset_outcome(error);
  if (outcome.code == StatusCode::kCancelled && deadline_ && Clock::now() >= *deadline_) {
    outcome = outcome_of(StatusCode::kDeadlineExceeded, "the server gave up at the deadline");
  }
  finish(std::move(outcome));
}

bool ClientCallImpl::may_retry(Http2Error error) const {
  return error == Http2Error::kRefusedStream && repeatable_ && !retried_ && !head_seen_ &&
         connection_->accepts_calls();
}

void ClientCallImpl::lose(const std::string& reason) {
  connection_ = nullptr;
  intake_.detach();
  if (remote_ended_) return;  // what is held back may still be asked for
  finish(outcome_of(StatusCode::kUnavailable, "the connection ended: " + reason));
}

void ClientCallImpl::finish(Outcome outcome) {
  if (!handler_) return;
  const auto handler = std::exchange(handler_, nullptr);
  over_.store(true, std::memory_order_release);
  timer_.reset();
  intake_.stop();
  if (connection_ != nullptr) {
    const bool all_is_said = remote_ended_ && send_queue().ended() && send_queue().size() == 0;
    if (!all_is_said) connection_->session().submit_reset(*this, Http2Error::kCancel);
  }
  handler->on_finish(std::move(outcome));
}

// Ends a call that got no stream, when the user has it in hand.
void ClientCallImpl::give_up(Outcome outcome) {
  connection_ = nullptr;
  intake_.detach();
  boost::asio::post(executor_, [self = shared_from_this(), outcome = std::move(outcome)]() mutable {
    self->finish(std::move(outcome));
  });
}

}  // namespace longshore::rpc
