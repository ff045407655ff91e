// The one place of the client that knows Beast, which takes long to compile.
#include "kube/connection.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <system_error>
#include <utility>

#include "kube/line_buffer.h"
#include "kube/server_verification.h"
#include "kube/stream.h"
#include "observe/close_on_exec.h"

namespace longshore::kube {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using SentRequest = http::request<http::span_body<const char>>;
using Parser = http::response_parser<http::string_body>;

constexpr uint32_t kMaxHeadBytes = 64u << 10;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

bool is_end(const error_code& code) {
  return code == http::error::partial_message || code == http::error::end_of_stream ||
         code == asio::ssl::error::stream_truncated || code == asio::error::eof ||
         code == asio::error::connection_reset || code == asio::error::broken_pipe;
}

bool is_of_http(const error_code& code) {
  return code.category() == http::make_error_code(http::error::bad_version).category();
}

std::string size_text(size_t bytes) {
  constexpr size_t kMebibyte = 1u << 20;
  return bytes % kMebibyte == 0 ? std::to_string(bytes / kMebibyte) + " MiB"
                                : std::to_string(bytes) + " bytes";
}

SentRequest sent_request(const Request& request, const ServerAddress& server,
                         const Secret& authorization) {
  SentRequest sent;
  sent.version(11);
  sent.method_string(std::string(method_name(request.method)));
  sent.target(server.path + target_of(request));
  sent.set(http::field::host, server.host_and_port());
  sent.set(http::field::user_agent, "longshore");
  sent.set(http::field::accept, "application/json, */*");
  if (!authorization.empty()) sent.set(http::field::authorization, authorization.text());
  if (!request.body.empty()) sent.set(http::field::content_type, request.content_type);
  sent.body() = {request.body.data(), request.body.size()};
  if (!request.body.empty() || request.method != Method::kGet) sent.prepare_payload();
  return sent;
}

}  // namespace

struct Connection::Parts {
  explicit Parts(asio::io_context& context) : io(context), stream(context) {}

  asio::io_context& io;
  Stream stream;
  bool is_closed = false;
  std::optional<ServerVerification> verification;  // none: no TLS
  // Of the exchange that goes on, or that was the last.
  beast::flat_buffer buffer;
  std::optional<Parser> parser;
  size_t max_bytes = 0;
  LineBuffer lines;
  error_code write_error;

  // Whether it is an alert of TLS that came, which is shorter than a line of HTTP.
  bool has_alert() const {
    constexpr char kAlert = '\x15';
    return buffer.size() > 0 && *static_cast<const char*>(buffer.data().data()) == kAlert;
  }
};

Connection::Connection(asio::io_context& io) : parts_(std::make_unique<Parts>(io)) {}

Connection::~Connection() = default;

void Connection::close() {
  parts_->is_closed = true;
  error_code ignored;  // the server may have closed it before us
  // What the server has not got yet is not sent any more, as when the network is back.
  parts_->stream.socket().set_option(asio::socket_base::linger(true, 0), ignored);
  parts_->stream.socket().close(ignored);
}

bool Connection::has_sent() const { return !parts_->write_error; }

bool Connection::has_answered() const { return parts_->parser && parts_->parser->got_some(); }

bool Connection::is_kept() const {
  return !parts_->is_closed && parts_->parser && parts_->parser->is_done() &&
         parts_->parser->keep_alive() && parts_->buffer.size() == 0;
}

// A server that waits for a request has nothing to say: what can be read is the end.
bool Connection::is_alive() {
  char byte = 0;
  error_code error;
  Stream::Socket& socket = parts_->stream.socket();
  socket.non_blocking(true, error);
  socket.receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, error);
  return error == asio::error::would_block;
}

asio::awaitable<Result<void>> Connection::open(const ServerAddress& server,
                                               const NameLookup::Addresses& addresses,
                                               TlsContext* tls, Deadline deadline) {
  const error_code error = co_await connect(addresses, deadline);
  if (error) {
    co_return Error(StatusCode::kUnavailable, "reach the API server", server.text())
        .because(std::error_code(error))
        .advise("check that it runs, and that it is the right address");
  }
  was_open_ = true;
  if (tls == nullptr) co_return Result<void>();
  const auto context = tls->current();
  if (!context) co_return context.error();
  Stream::Tls& stream = parts_->stream.begin_tls(*context);
  ServerVerification& verification = parts_->verification.emplace(*tls);
  if (auto prepared = verification.prepare(stream.native_handle()); !prepared) {
    co_return std::move(prepared).error();
  }
  error_code failed;
  stream.set_verify_callback(
      [&verification](bool is_good, asio::ssl::verify_context& chain) {
        return verification.verify(is_good, chain);
      },
      failed);
  if (!failed) {
    std::tie(failed) = co_await stream.async_handshake(asio::ssl::stream_base::client, kAwait);
  }
  if (!failed) co_return Result<void>();
  co_return verification.explain(
      Error(StatusCode::kUnavailable, "reach the API server", server.text()), failed);
}

asio::awaitable<error_code> Connection::connect(const NameLookup::Addresses& addresses,
                                                Deadline deadline) {
  Stream::Socket& socket = parts_->stream.socket();
  error_code error = asio::error::host_not_found;
  for (size_t i = 0; i < addresses.size(); ++i) {
    error_code ignored;
    socket.close(ignored);
    socket.open(addresses[i].protocol(), error);
    if (error) continue;
    observe::close_on_exec(static_cast<intptr_t>(socket.native_handle()));
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    // One that swallows all packets leaves time for those behind it.
    const auto now = std::chrono::steady_clock::now();
    const auto share = std::max(deadline, now) - now;
    asio::steady_timer limit(parts_->io);
    const auto is_connecting = std::make_shared<bool>(true);
    if (i + 1 < addresses.size() && deadline != Deadline::max()) {
      limit.expires_after(share / static_cast<int64_t>(addresses.size() - i));
      limit.async_wait([&socket, is_connecting](const error_code& cancelled) {
        error_code closed;
        if (!cancelled && *is_connecting) socket.close(closed);
      });
    }
    std::tie(error) = co_await socket.async_connect(addresses[i], kAwait);
    *is_connecting = false;
    if (parts_->is_closed) co_return asio::error::operation_aborted;
    if (!error) break;
    if (error == asio::error::operation_aborted) error = asio::error::timed_out;
  }
  co_return error;
}

asio::awaitable<void> Connection::send(const Request& request, const ServerAddress& server,
                                       const Secret& authorization) {
  parts_->parser.reset();
  parts_->max_bytes = request.max_response_bytes;
  parts_->stream.set_permit(request.permit);
  const SentRequest sent = sent_request(request, server, authorization);
  http::request_serializer<http::span_body<const char>> serializer(sent);
  size_t written = 0;
  std::tie(parts_->write_error, written) =
      co_await http::async_write(parts_->stream, serializer, kAwait);
  parts_->stream.set_permit({});
  // A server that refuses a request may answer before it has read all of it: the answer is looked
  // for in any case.
}

asio::awaitable<Result<Response>> Connection::read_head() {
  Parser& parser = parts_->parser.emplace();
  parser.header_limit(kMaxHeadBytes);
  parser.body_limit(parts_->max_bytes);
  const auto [error, size] =
      co_await http::async_read_header(parts_->stream, parts_->buffer, parser, kAwait);
  if (error)
    co_return explain(has_answered() || !parts_->write_error ? error : parts_->write_error);
  const auto& head = parser.get();
  Response response;
  response.status = static_cast<int>(head.result_int());
  response.content_type = std::string(head[http::field::content_type]);
  response.has_priority_level = !head["X-Kubernetes-PF-PriorityLevel-UID"].empty();
  response.date = std::string(head[http::field::date]);
  response.retry_after = parse_retry_after(std::string(head[http::field::retry_after]));
  co_return response;
}

asio::awaitable<Result<std::string>> Connection::read_body() {
  const auto [error, size] =
      co_await http::async_read(parts_->stream, parts_->buffer, *parts_->parser, kAwait);
  if (error) co_return explain(error);
  co_return std::move(parts_->parser->get().body());
}

asio::awaitable<Result<std::optional<std::string>>> Connection::read_line(size_t max_bytes) {
  using Line = std::optional<std::string>;
  Parser& parser = *parts_->parser;
  LineBuffer& lines = parts_->lines;
  parser.body_limit(boost::none);
  for (;;) {
    Line line = lines.take();
    if ((line ? line->size() : lines.size()) > max_bytes) {
      co_return Error::of_text(StatusCode::kResourceExhausted,
                               "a line of the answer is longer than " + size_text(max_bytes));
    }
    if (line) co_return line;
    if (parser.is_done()) co_return lines.size() == 0 ? Line() : Line(lines.take_rest());
    const auto [error, size] =
        co_await http::async_read_some(parts_->stream, parts_->buffer, parser, kAwait);
    std::string& body = parser.get().body();
    lines.append(body);
    body.clear();
    if (error) co_return explain(error);
  }
}

Error Connection::explain(const error_code& code) const {
  const auto text = [](StatusCode status, std::string sentence) {
    return Error::of_text(status, std::move(sentence));
  };
  if (code == http::error::body_limit || code == http::error::buffer_overflow) {
    return text(StatusCode::kResourceExhausted,
                "the answer is longer than " + size_text(parts_->max_bytes));
  }
  if (code == http::error::header_limit) {
    return text(StatusCode::kResourceExhausted, "the head of the answer is longer than 64 KiB");
  }
  if (is_end(code) ? parts_->has_alert() : is_of_http(code)) {
    return text(StatusCode::kUnavailable, "what it answers is not HTTP")
        .advise(parts_->verification ? "" : "write the server with https:// if it speaks TLS");
  }
  if (is_end(code)) {
    return text(StatusCode::kUnavailable,
                has_answered() ? "the connection ended in the middle of the answer"
                               : "the server closed the connection without an answer");
  }
  Error unknown(StatusCode::kUnavailable, "");
  if (!parts_->verification) return std::move(unknown).because(std::error_code(code));
  // In TLS 1.3 a server that refuses the client says so behind the handshake.
  return parts_->verification->explain(std::move(unknown), code);
}

}  // namespace longshore::kube
