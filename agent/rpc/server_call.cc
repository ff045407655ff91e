#include "rpc/server_call.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "longshore/secret.hpp"
#include "rpc/field_block.h"
#include "rpc/server_connection.h"

namespace longshore::rpc {
namespace {

constexpr Field kStatus200{":status", "200"};
constexpr Field kContentType{"content-type", "application/grpc"};
// Neither requests nor answers are compressed: on a local socket it would cost more than it saves,
// and a small request must not unfold in memory. grpc-go's clients send no such requests unless
// they are told to.
constexpr Field kAcceptEncoding{"grpc-accept-encoding", "identity"};

}  // namespace

ServerCall::ServerCall(ServerConnectionImpl& connection, std::shared_ptr<ResponseInbox> inbox,
                       MemoryCharge held, const MemoryAccount* full)
    : connection_(&connection),
      inbox_(std::move(inbox)),
      held_(std::move(held)),
      full_account_(full),
      intake_(connection.session(), connection.receive_budget(), *this, *this,
              connection.limits()) {
  inbox_->call_begins();
}

ServerCall::~ServerCall() { leave_count(); }

void ServerCall::leave_count() {
  if (counted_.exchange(false, std::memory_order_relaxed)) inbox_->call_ends();
}

// ---- Answers, from any thread ----

bool ServerCall::send(std::string message) {
  Response response;
  const bool has_room = take_message(response, std::move(message));
  deliver(std::move(response));
  return has_room;
}

std::optional<Error> ServerCall::refusal() const {
  const MemoryAccount* const full = unsent_full_.load();
  if (full == nullptr) return std::nullopt;
  return Error::of_text(StatusCode::kResourceExhausted,
                        "the client does not read its answers: " + full->refusal());
}

void ServerCall::finish(StatusCode code, std::string text, Metadata trailers) {
  Response response;
  response.finishes = true;
  response.code = code;
  response.text = std::move(text);
  response.trailers = std::move(trailers);
  deliver(std::move(response));
}

void ServerCall::send_and_finish(std::string message) {
  Response response;
  response.finishes = true;
  take_message(response, std::move(message));
  deliver(std::move(response));
}

bool ServerCall::take_message(Response& response, std::string message) {
  const size_t bytes = message.size() + kMessagePrefixBytes;
  const MemoryAccount* full = nullptr;
  response.held = MemoryCharge::take(inbox_->unsent().account, bytes, full);
  if (full) {
    unsent_full_.store(full);
    response.fails = true;
    response.code = StatusCode::kResourceExhausted;
    response.text = refusal()->message();
    return false;
  }
  response.has_message = true;
  response.message = std::move(message);
  return count_unsent(bytes);
}

void ServerCall::deliver(Response response) {
  if (response.finishes) leave_count();
  if (over_.load(std::memory_order_relaxed)) return;
  if (inbox_->in_turn() ? apply_in_turn(response) : apply_between_handlers(response)) return;
  response.call = shared_from_this();
  inbox_->put(std::move(response));
}

bool ServerCall::apply_in_turn(Response& response) {
  if (connection_ == nullptr || connection_->applies_responses()) return false;
  connection_->apply_waiting_responses();
  apply(response);
  return true;
}

// A call that the connection's own thread runs: its response needs no wake-up, and is written with
// those of the calls beside it.
bool ServerCall::apply_between_handlers(Response& response) {
  ExecutorThread* const thread = inbox_->executor_thread();
  const auto apply_it = [&] {
    if (connection_ == nullptr) return;
    connection_->turn_written_later(*thread, [&] {
      connection_->apply_waiting_responses();
      apply(response);
    });
  };
  return thread && thread->run_here(std::cref(apply_it));  // by reference: nothing is allocated
}

bool ServerCall::count_unsent(size_t bytes) {
  const size_t limit = inbox_->unsent().of_stream;
  if (unsent_.fetch_add(bytes) + bytes <= limit && !inbox_->is_congested(2)) return true;
  full_.store(true);
  // What was sent meanwhile did not see the flag.
  return has_room(unsent_.load()) && full_.exchange(false);
}

// A stream whose own messages have all left may send one more, whatever the others leave unread.
bool ServerCall::has_room(size_t unsent) const {
  return unsent == 0 || (unsent <= inbox_->unsent().of_stream / 2 && !inbox_->is_congested(2));
}

// ---- Answers, at the executor ----

void ServerCall::apply(Response& response) {
  if (finished_ || connection_ == nullptr) return;
  if (response.fails) return fail(response.code, response.text);
  if (response.has_message) queue_message(response);
  if (!response.finishes || finished_) return;
  handler_left_ = true;
  end_response(response.code, response.text, std::move(response.trailers));
}

void ServerCall::queue_message(Response& response) {
  const Limits& limits = connection_->limits();
  const size_t bytes = response.message.size();
  if (bytes > limits.max_send_message_bytes) {
    return fail(StatusCode::kResourceExhausted, "the answer has " + std::to_string(bytes) +
                                                    " bytes, the limit is " +
                                                    std::to_string(limits.max_send_message_bytes));
  }
  send_queue().push(std::move(response.message), std::move(response.held));
  if (head_sent_) {
    if (!response.finishes) connection_->session().resume_body(*this);
  } else {
    submit_head();
  }
}

void ServerCall::submit_head() {
  head_sent_ = true;
  const std::array<Field, 3> fields = {kStatus200, kContentType, kAcceptEncoding};
  connection_->session().submit_response(*this, fields, true);
}

// What of an error's text there is room for. Clients choose a part of it (a method, a key), and
// need not read it.
std::string_view ServerCall::afford(std::string_view text) {
  constexpr size_t kPaidWithTheCall = 256;
  constexpr size_t kCopies = 3;  // percent-encoding makes three bytes of one
  if (text.size() <= kPaidWithTheCall) return text;
  const MemoryAccount* full = nullptr;
  text_held_ = MemoryCharge::take(connection_->call_memory(), kCopies * text.size(), full);
  return full ? text.substr(0, kPaidWithTheCall) : text;
}

void ServerCall::end_response(StatusCode code, std::string_view text, Metadata trailers) {
  finished_ = true;
  const std::string told = connection_->told_text(text.substr(0, FieldBlock::kMaxTextBytes));
  text = afford(std::string_view(told).substr(0, FieldBlock::kMaxTextBytes));
  stop_receiving();
  Http2Session& session = connection_->session();
  if (head_sent_) {
    code_ = code;
    text_ = text;
    trailers_ = std::move(trailers);
    send_queue().end();
    session.resume_body(*this);
    return;
  }
  head_sent_ = true;
  FieldBlock block(session.peer_max_fields());
  block.add(kStatus200);
  block.add(kContentType);
  block.add(kAcceptEncoding);
  block.add_status(code, text);
  block.add_metadata(trailers);
  session.submit_response(*this, block.fields(), false);
}

bool ServerCall::on_body_sent() {
  Http2Session& session = connection_->session();
  FieldBlock block(session.peer_max_fields());
  block.add_status(code_, text_);
  block.add_metadata(trailers_);
  session.submit_trailers(*this, block.fields());
  return true;
}

void ServerCall::on_body_progress(size_t bytes) {
  const size_t left = unsent_.fetch_sub(bytes) - bytes;
  if (full_.load() && has_room(left) && full_.exchange(false)) {
    connection_->add_writable(shared_from_this());
  }
}

void ServerCall::tell_writable() {
  if (!handler_left_ && handler_) handler_->on_writable();
  if (is_receiving()) resume();
}

// ---- Requests ----

void ServerCall::on_field(std::string_view name, std::string_view value) {
  // A request's trailers say nothing in gRPC.
  if (!head_is_whole_) connection_->request_head().add(name, value);
}

void ServerCall::on_fields_end() {
  if (std::exchange(head_is_whole_, true)) return;
  const RequestHead& head = connection_->request_head();
  const auto refusal = head.verdict();
  if (refusal) return refuse(*refusal);
  if (full_account_) return fail(StatusCode::kResourceExhausted, full_account_->refusal());
  handler_ = connection_->handler().start_call(head.call(), shared_from_this());
  if (!handler_ && !finished_) fail(StatusCode::kInternal, "no handler took the call");
  if (finished_) return;
  receives_ = true;
  connection_->starts_receiving(handler_->request_deadline());
}

void ServerCall::refuse(const Refusal& refusal) {
  if (refusal.form == Refusal::Form::kGrpcStatus)
    return end_response(refusal.code, refusal.text, {});
  finished_ = head_sent_ = true;
  stop_receiving();
  Http2Session& session = connection_->session();
  if (refusal.form == Refusal::Form::kReset) {
    return session.submit_reset(*this, Http2Error::kProtocolError);
  }
  const std::string status = std::to_string(refusal.http_status);
  const std::array<Field, 2> fields = {Field{":status", status}, Field{"allow", "POST"}};
  session.submit_response(*this, std::span(fields).first(refusal.http_status == 405 ? 2 : 1),
                          false);
}

void ServerCall::on_data(std::string_view bytes) { intake_.take(bytes); }

bool ServerCall::may_deliver() const {
  return !full_.load(std::memory_order_relaxed) && !inbox_->is_congested();
}

void ServerCall::on_whole_message(std::string message) {
  const MemoryAccount* full = nullptr;
  MemoryCharge held = MemoryCharge::take(connection_->call_memory(), message.size(), full);
  if (full) {
    wipe(message);
    return fail(StatusCode::kResourceExhausted, full->refusal());
  }
  handler_->on_message(std::move(message), std::move(held));
}

void ServerCall::on_intake_fault(StatusCode code, std::string_view text) { fail(code, text); }

void ServerCall::on_remote_end() {
  remote_ended_ = true;
  half_close();
}

// As soon as all that came before has been handed on.
void ServerCall::half_close() {
  if (!is_receiving() || !remote_ended_ || intake_.has_backlog()) return;
  if (!intake_.is_empty()) {
    return fail(StatusCode::kInternal, "the request ends within a message");
  }
  if (!may_deliver()) return;
  receives_ = false;
  connection_->ends_receiving();
  handler_->on_half_close();
}

void ServerCall::resume() {
  if (full_.load() && has_room(unsent_.load()) && full_.exchange(false)) tell_writable();
  if (!is_receiving() || !may_deliver()) return;
  intake_.resume();
  half_close();
}

void ServerCall::end_late() {
  fail(StatusCode::kDeadlineExceeded, "the request was not complete in time");
}

void ServerCall::stop_receiving() {
  if (std::exchange(receives_, false)) connection_->ends_receiving();
  intake_.stop();
}

// Ends the call for a reason that the handler did not give.
void ServerCall::fail(StatusCode code, std::string_view text) {
  end_response(code, text, {});
  abandon_handler();
}

void ServerCall::abandon_handler() {
  if (handler_left_ || !handler_) return;
  handler_left_ = true;
  handler_->on_cancel();
}

void ServerCall::on_closed(Http2Error) {
  const auto keep = shared_from_this();
  over_.store(true, std::memory_order_relaxed);
  ServerConnectionImpl& connection = *connection_;
  stop_receiving();
  if (full_account_) connection.refused_call_ends();
  connection_ = nullptr;
  send_queue().clear();
  intake_.detach();
  if (finished_) handler_left_ = true;
  abandon_handler();
  handler_.reset();
  connection.forget_stream(*this);
}

}  // namespace longshore::rpc
