#include "rpc/server_call.h"

#include <array>
#include <span>
#include <utility>

#include "rpc/field_block.h"
#include "rpc/gzip.h"
#include "rpc/server_connection.h"

namespace longshore::rpc {
namespace {

constexpr Field kStatus200{":status", "200"};
constexpr Field kContentType{"content-type", "application/grpc"};
constexpr Field kAcceptEncoding{"grpc-accept-encoding", "identity,gzip"};
constexpr Field kGzipEncoding{"grpc-encoding", "gzip"};

}  // namespace

ServerCall::ServerCall(ServerConnectionImpl& connection, std::shared_ptr<ResponseInbox> inbox)
    : connection_(&connection),
      inbox_(std::move(inbox)),
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

// Compresses here, because the answering thread has more time than the connection's.
bool ServerCall::take_message(Response& response, std::string message) {
  response.has_message = true;
  response.bytes = message.size();
  if (responses_gzip_ && message.size() >= kMinCompressedBytes) {
    std::string compressed = gzip_compress(message);
    response.compressed = !compressed.empty();
    if (response.compressed) message = std::move(compressed);
  }
  response.message = std::move(message);
  return count_unsent(response.message.size() + kMessagePrefixBytes);
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
  return thread && thread->run_here([&] {
    if (connection_ == nullptr) return;
    connection_->turn_written_later(*thread, [&] {
      connection_->apply_waiting_responses();
      apply(response);
    });
  });
}

bool ServerCall::count_unsent(size_t bytes) {
  const size_t limit = inbox_->stream_unsent_bytes();
  if (unsent_.fetch_add(bytes) + bytes <= limit) return true;
  full_.store(true);
  // What was sent meanwhile did not see the flag.
  return unsent_.load() <= limit / 2 && full_.exchange(false);
}

// ---- Answers, at the executor ----

void ServerCall::apply(Response& response) {
  if (finished_ || connection_ == nullptr) return;
  if (response.has_message) queue_message(response);
  if (!response.finishes || finished_) return;
  handler_left_ = true;
  end_response(response.code, response.text, std::move(response.trailers));
}

void ServerCall::queue_message(Response& response) {
  const Limits& limits = connection_->limits();
  const size_t bytes = response.message.size() + kMessagePrefixBytes;
  if (response.bytes > limits.max_send_message_bytes) {
    return fail(StatusCode::kResourceExhausted, "the answer has " + std::to_string(response.bytes) +
                                                    " bytes, the limit is " +
                                                    std::to_string(limits.max_send_message_bytes));
  }
  if (connection_->unsent_bytes + bytes > limits.max_unsent_bytes) {
    return fail(StatusCode::kResourceExhausted, "the client does not read its answers");
  }
  connection_->unsent_bytes += bytes;
  send_queue().push(std::move(response.message), response.compressed);
  if (head_sent_) {
    if (!response.finishes) connection_->session().resume_body(*this);
  } else {
    submit_head();
  }
}

void ServerCall::submit_head() {
  head_sent_ = true;
  const std::array<Field, 4> fields = {kStatus200, kContentType, kAcceptEncoding, kGzipEncoding};
  connection_->session().submit_response(
      *this, std::span(fields).first(responses_gzip_ ? fields.size() : fields.size() - 1), true);
}

void ServerCall::end_response(StatusCode code, std::string_view text, Metadata trailers) {
  finished_ = true;
  intake_.stop();
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
  connection_->unsent_bytes -= bytes;
  const size_t left = unsent_.fetch_sub(bytes) - bytes;
  if (left <= inbox_->stream_unsent_bytes() / 2 && full_.load() && full_.exchange(false)) {
    connection_->add_writable(shared_from_this());
  }
}

void ServerCall::tell_writable() {
  if (!handler_left_ && handler_) handler_->on_writable();
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
  if (head.request_is_gzip()) {
    intake_.expect_gzip();
    responses_gzip_ = head.accepts_gzip();  // as grpc-go does: in the way that the client speaks
  }
  handler_ = connection_->handler().start_call(head.call(), shared_from_this());
  if (!handler_ && !finished_) fail(StatusCode::kInternal, "no handler took the call");
}

void ServerCall::refuse(const Refusal& refusal) {
  if (refusal.form == Refusal::Form::kGrpcStatus)
    return end_response(refusal.code, refusal.text, {});
  finished_ = head_sent_ = true;
  intake_.stop();
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

void ServerCall::on_whole_message(std::string message) { handler_->on_message(std::move(message)); }

void ServerCall::on_intake_fault(StatusCode code, std::string_view text) { fail(code, text); }

void ServerCall::on_remote_end() {
  if (finished_) return;
  if (!intake_.is_empty()) {
    return fail(StatusCode::kInternal, "the request ends within a message");
  }
  handler_->on_half_close();
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
  ServerConnectionImpl& connection = *std::exchange(connection_, nullptr);
  connection.unsent_bytes -= send_queue().size();
  intake_.stop();
  intake_.detach();
  if (finished_) handler_left_ = true;
  abandon_handler();
  handler_.reset();
  connection.forget_stream(*this);
}

}  // namespace longshore::rpc
