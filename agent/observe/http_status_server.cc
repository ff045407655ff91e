// The one place that knows Beast, with http_response.h, which takes long to compile.
#include "observe/http_status_server.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstring>
#include <list>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "observe/close_on_exec.h"
#include "observe/http_host.h"
#include "observe/http_place.h"
#include "observe/http_response.h"
#include "observe/late_pages.h"

namespace longshore::observe {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

// TCP and Unix sockets alike.
using Protocol = asio::generic::stream_protocol;
using Acceptor = asio::basic_socket_acceptor<Protocol>;
using Stream = beast::basic_stream<Protocol>;
using Parser = http::request_parser<http::empty_body>;

#if defined(_WIN32)
// There a port that somebody listens on can be bound with SO_REUSEADDR, and without this by those
// who set that.
using PortUse = asio::detail::socket_option::boolean<SOL_SOCKET, SO_EXCLUSIVEADDRUSE>;
#else
// Connections of a server that has ended do not keep the port.
using PortUse = asio::socket_base::reuse_address;
#endif

constexpr uint32_t kMaxHeadBytes = 8192;
// When the system is out of descriptors, trying again at once would only burn time.
constexpr std::chrono::milliseconds kAcceptPause{100};
// For the client to take the last answer, before the connection is cut.
constexpr std::chrono::seconds kLingerTime{1};
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

class BeastServer final : public HttpStatusServer {
 public:
  BeastServer(HttpPages pages, Log& log, HttpServerOptions options)
      : pages_(std::move(pages)), log_(log), options_(options) {}
  BeastServer(LateHttpPages pages, Log& log, HttpServerOptions options)
      : log_(log), options_(options) {
    late_pages_.emplace(io_, std::move(pages));
  }
  ~BeastServer() override { stop(); }

  // "::" is all addresses, those of IPv4 too, and on a node without IPv6 those alone.
  error_code open(asio::ip::tcp::endpoint endpoint) {
    const bool is_for_all = endpoint.address() == asio::ip::address_v6::any();
    error_code error;
    acceptor_.open(Protocol(endpoint.protocol()), error);
    if (is_for_all && !error) acceptor_.set_option(asio::ip::v6_only(false), error);
    if (is_for_all && error == asio::error::address_family_not_supported) {
      endpoint.address(asio::ip::address_v4::any());
      acceptor_.open(Protocol(endpoint.protocol()), error);
    }
    if (error) return error;
    close_on_exec(static_cast<intptr_t>(acceptor_.native_handle()));
    acceptor_.set_option(PortUse(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return error;
    const Protocol::endpoint bound = acceptor_.local_endpoint(error);
    asio::ip::tcp::endpoint numbers;
    numbers.resize(bound.size());
    std::memcpy(numbers.data(), bound.data(), bound.size());
    port_ = numbers.port();
    checks_host_ = endpoint.address().is_loopback();
    return error;
  }

  error_code adopt(int descriptor) {
    error_code error;
    acceptor_.assign(Protocol(asio::local::stream_protocol()), descriptor, error);
    return error;
  }

  uint16_t port() const override { return port_; }

  Result<void> start() override {
    asio::co_spawn(io_, accept(), asio::detached);
    try {
      thread_ = std::thread([this] { io_.run(); });
    } catch (const std::system_error& error) {
      return Error(StatusCode::kUnknown, "start a thread for", "HTTP").because(error.code());
    }
    return {};
  }

  void stop() override {
    if (!thread_.joinable()) return;
    io_.stop();
    thread_.join();
  }

 private:
  struct Connection : HttpPlace {
    explicit Connection(Protocol::socket socket) : stream(std::move(socket)) {
      error_code error;
      const Protocol::endpoint end = stream.socket().remote_endpoint(error);
      const int family = end.protocol().family();
      if (error || (family != AF_INET && family != AF_INET6)) return;
      asio::ip::tcp::endpoint numbers;
      numbers.resize(end.size());
      std::memcpy(numbers.data(), end.data(), end.size());
      peer = numbers.address().to_string();
    }
    Stream stream;
    size_t unread_bytes = 0;  // of the answer that is being written
  };
  using Connections = std::list<Connection>;

  asio::awaitable<void> accept() {
    asio::steady_timer pause(io_);
    for (;;) {
      auto [error, socket] = co_await acceptor_.async_accept(kAwait);
      if (error) {
        log_.warning("cannot accept a connection",
                     {{"endpoint", "http"}, {"error", error.message()}});
        pause.expires_after(kAcceptPause);
        co_await pause.async_wait(kAwait);
        continue;
      }
      close_on_exec(static_cast<intptr_t>(socket.native_handle()));
      if (connections_.size() >= options_.max_connections) close(who_gives_way(connections_));
      const auto connection = connections_.emplace(connections_.end(), std::move(socket));
      asio::co_spawn(io_, serve(*connection), [this, connection](const std::exception_ptr&) {
        end_writing(*connection);
        connections_.erase(connection);
      });
    }
  }

  // It is gone from the list only when its coroutine has seen that its socket is closed.
  void close(Connections::iterator connection) {
    if (connection == connections_.end()) return;
    connection->is_closed = true;
    end_writing(*connection);
    connection->stream.close();
  }

  // Of those with something unread, the first has made no progress for the longest time.
  Connections::iterator slowest_reader() {
    return std::find_if(connections_.begin(), connections_.end(), [](const Connection& each) {
      return !each.is_closed && each.unread_bytes > 0;
    });
  }

  void make_progress(Connection& connection) {
    const auto at = std::find_if(connections_.begin(), connections_.end(),
                                 [&](const Connection& each) { return &each == &connection; });
    connections_.splice(connections_.end(), connections_, at);
  }

  // Counts an answer until it is written.
  void begin_to_write(Connection& connection, size_t bytes) {
    make_progress(connection);
    unread_bytes_ += connection.unread_bytes = bytes;
    while (unread_bytes_ > options_.max_unread_bytes && unread_bytes_ > connection.unread_bytes) {
      close(slowest_reader());
    }
  }

  void end_writing(Connection& connection) {
    unread_bytes_ -= std::exchange(connection.unread_bytes, 0);
  }

  asio::awaitable<void> serve(Connection& connection) {
    Stream& stream = connection.stream;
    beast::flat_buffer buffer(kMaxHeadBytes + 1024);
    for (bool keep_alive = true; keep_alive;) {
      Parser parser;
      parser.header_limit(kMaxHeadBytes);
      stream.expires_after(options_.read_timeout);
      const auto [error, size] = co_await http::async_read_header(stream, buffer, parser, kAwait);
      std::optional<HttpPage> page = error ? page_of_error(error) : std::nullopt;
      if (error && !page) co_return;
      keep_alive = !error && parser.is_done() && parser.get().keep_alive();
      if (!page) page = refusal_of(parser);
      if (!page && late_pages_) {
        connection.waits_for_page = true;
        page = co_await late_pages_->ask(query_of(parser), stream.socket(), options_.page_timeout);
        connection.waits_for_page = false;
        if (!page) co_return;
      }
      if (!page) page = pages_(query_of(parser));
      const bool head_only = !error && parser.get().method() == http::verb::head;
      HttpResponse response =
          http_response_of(std::move(*page), error ? 11 : parser.get().version(), keep_alive);
      http::response_serializer<http::string_body> serializer(response);
      begin_to_write(connection, head_only ? 0 : response.body().size());
      stream.expires_after(options_.write_timeout);
      const auto [failed, written] =
          head_only ? co_await http::async_write_header(stream, serializer, kAwait)
                    : co_await http::async_write(stream, serializer, kAwait);
      end_writing(connection);
      if (failed) co_return;
    }
    co_await linger(stream);
  }

  // A connection that is closed with something unread would be reset, and the answer be lost.
  static asio::awaitable<void> linger(Stream& stream) {
    error_code ignored;
    stream.socket().shutdown(asio::socket_base::shutdown_send, ignored);
    stream.expires_after(kLingerTime);
    std::array<char, 1024> unread;
    for (;;) {
      const auto [error, size] = co_await stream.async_read_some(asio::buffer(unread), kAwait);
      if (error) co_return;
    }
  }

  static std::string_view target_of(const Parser& parser) {
    return {parser.get().target().data(), parser.get().target().size()};
  }

  // The answer to a request that no page is asked for.
  std::optional<HttpPage> refusal_of(const Parser& parser) const {
    const auto& request = parser.get();
    const bool has_host = request.find(http::field::host) != request.end();
    if (request.version() >= 11 && !has_host) return text_page(400, "There is no Host header.\n");
    if (checks_host_ && has_host && !is_loopback_host(std::string(request[http::field::host]))) {
      return text_page(421, "This endpoint answers to localhost and loopback addresses only.\n");
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return text_page(405, "Only GET and HEAD are answered.\n");
    }
    if (!parser.is_done()) return no_body_page();
    if (!target_of(parser).starts_with('/')) {
      return text_page(400, "The target has to be a path.\n");
    }
    return std::nullopt;
  }

  static HttpQuery query_of(const Parser& parser) {
    const std::string_view target = target_of(parser);
    const size_t mark = target.find('?');
    HttpQuery query;
    query.path = target.substr(0, mark);
    if (mark != std::string_view::npos) query.query = target.substr(mark + 1);
    query.accept = std::string(parser.get()[http::field::accept]);
    return query;
  }

  const HttpPages pages_;  // empty: they are late
  Log& log_;
  const HttpServerOptions options_;
  asio::io_context io_{1};
  Acceptor acceptor_{io_};
  uint16_t port_ = 0;
  bool checks_host_ = false;
  Connections connections_;  // the one that has waited longest first
  size_t unread_bytes_ = 0;  // of all of them
  std::optional<LatePages> late_pages_;
  std::thread thread_;
};

Error cannot_listen(const std::string& where) {
  return Error(StatusCode::kUnknown, "listen for HTTP on", where);
}

template <typename Pages>
Result<std::unique_ptr<HttpStatusServer>> open_on_port(const std::string& host, uint16_t port,
                                                       Pages pages, Log& log,
                                                       HttpServerOptions options) {
  const std::string where =
      (host.find(':') == std::string::npos ? host : '[' + host + ']') + ':' + std::to_string(port);
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (error) return cannot_listen(where).because("the host is not an IP address");
  auto server = std::make_unique<BeastServer>(std::move(pages), log, options);
  error = server->open({address, port});
  if (error) return cannot_listen(where).because(std::error_code(error));
  return std::unique_ptr<HttpStatusServer>(std::move(server));
}

}  // namespace

Result<std::unique_ptr<HttpStatusServer>> HttpStatusServer::listen(const std::string& host,
                                                                   uint16_t port, HttpPages pages,
                                                                   Log& log,
                                                                   HttpServerOptions options) {
  return open_on_port(host, port, std::move(pages), log, options);
}

Result<std::unique_ptr<HttpStatusServer>> HttpStatusServer::listen_late(const std::string& host,
                                                                        uint16_t port,
                                                                        LateHttpPages pages,
                                                                        Log& log,
                                                                        HttpServerOptions options) {
  return open_on_port(host, port, std::move(pages), log, options);
}

Result<std::unique_ptr<HttpStatusServer>> HttpStatusServer::adopt_unix(int descriptor,
                                                                       HttpPages pages, Log& log,
                                                                       HttpServerOptions options) {
  auto server = std::make_unique<BeastServer>(std::move(pages), log, options);
  if (const error_code error = server->adopt(descriptor)) {
    return cannot_listen("a Unix socket").because(std::error_code(error));
  }
  return std::unique_ptr<HttpStatusServer>(std::move(server));
}

}  // namespace longshore::observe
