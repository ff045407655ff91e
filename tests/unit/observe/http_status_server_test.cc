// The HTTP server of the status pages with clients that do it right, and with all others.
#include "observe/http_status_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>
#include <deque>
#include <stdexcept>

#include "observe/http_host.h"
#include "tests/support/http_connection.h"

namespace longshore::observe {
namespace {

using namespace std::chrono_literals;
using test::http_get;
using test::HttpConnection;
using test::HttpResponse;

constexpr size_t kLargeBytes = 32 << 20;

HttpPage page_of(const HttpQuery& query) {
  if (query.path == "/throws") throw std::runtime_error("a page that fails");
  if (query.path == "/large") return text_page(200, std::string(kLargeBytes, 'x'));
  if (query.path == "/moved") return {302, "text/plain", "", "/there"};
  return text_page(200, query.path + '|' + query.query + '|' + query.accept);
}

struct Server {
  explicit Server(HttpServerOptions options = {}, const std::string& host = "127.0.0.1") {
    LogOptions quiet;
    quiet.level = Level::kError;
    log = *Log::open(quiet);
    auto opened = HttpStatusServer::listen(host, 0, page_of, *log, options);
    if (!opened) throw std::runtime_error(opened.error().message());
    server = std::move(*opened);
    REQUIRE(server->start());
  }

  uint16_t port() const { return server->port(); }
  bool answers() const { return http_get(port(), "/alive").status == 200; }
  // Whether there is room for one more, at once or when another has gone.
  bool answers_soon() const {
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (std::chrono::steady_clock::now() < end) {
      HttpConnection connection(port());
      connection.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      if (!connection.read_to_end().empty()) return true;
    }
    return false;
  }
  // The status of the answer to these bytes, after which the server closes the connection.
  int status_of(const std::string& bytes) const {
    HttpConnection connection(port());
    connection.send(bytes);
    const int status = connection.read().status;
    connection.finish_sending();
    CHECK(connection.read_to_end().empty());
    return status;
  }

  std::unique_ptr<Log> log;
  std::unique_ptr<HttpStatusServer> server;
};

std::string request(const std::string& method, const std::string& headers = {}) {
  return method + " /page HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}

TEST_CASE("A page is answered with its type, its length and what keeps browsers safe") {
  Server server;
  HttpResponse answer = http_get(server.port(), "/a/b?format=json", "Accept: text/html\r\n");
  CHECK(answer.status == 200);
  CHECK(answer.body == "/a/b|format=json|text/html");
  CHECK(answer.headers["content-type"] == "text/plain; charset=utf-8");
  CHECK(answer.headers["cache-control"] == "no-store");
  CHECK(answer.headers["x-content-type-options"] == "nosniff");
  CHECK(answer.headers["content-security-policy"].starts_with("default-src 'none';"));
  answer = http_get(server.port(), "/moved");
  CHECK(answer.status == 302);
  CHECK(answer.headers["location"] == "/there");
}

TEST_CASE("A connection is kept for further requests, also when they come all at once") {
  Server server;
  HttpConnection connection(server.port());
  std::string all;
  for (int i = 0; i < 100; ++i) {
    all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  connection.send(all);
  for (int i = 0; i < 100; ++i) CHECK(connection.read().body == '/' + std::to_string(i) + "||");
  CHECK(connection.get("/last").body == "/last||");
}

TEST_CASE("HEAD is answered with the head of GET alone") {
  Server server;
  HttpConnection connection(server.port());
  connection.send("HEAD /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
  HttpResponse head = connection.read(true);
  CHECK(head.status == 200);
  HttpResponse whole = connection.get("/page");  // were there a body, this would not be read
  CHECK(whole.status == 200);
  CHECK(head.headers["content-length"] == std::to_string(whole.body.size()));
}

TEST_CASE("HTTP/1.0 is answered, without a Host header too, and the connection closed") {
  Server server;
  CHECK(server.status_of("GET /old HTTP/1.0\r\n\r\n") == 200);
}

TEST_CASE("Other methods are refused with those that there are") {
  Server server;
  for (const char* method :
       {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "INVENTED"}) {
    INFO(method);
    HttpConnection connection(server.port());
    connection.send(request(method));
    HttpResponse answer = connection.read();
    CHECK(answer.status == 405);
    CHECK(answer.headers["allow"] == "GET, HEAD");
  }
}

TEST_CASE("A request with a body is refused, and what follows is not taken for a request") {
  Server server;
  CHECK(server.status_of(request("GET", "Content-Length: 5\r\n") + "hello") == 413);
  CHECK(server.status_of(request("GET", "Transfer-Encoding: chunked\r\n") +
                         "1\r\nx\r\n0\r\n\r\n") == 413);
  CHECK(server.status_of(request("GET", "Content-Length: 99999999999\r\n")) == 413);
  CHECK(server.status_of(request("POST", "Content-Length: 30\r\n") + request("GET")) == 405);
  HttpConnection empty(server.port());
  CHECK(empty.get("/page", "Content-Length: 0\r\n").status == 200);
}

TEST_CASE("What is no HTTP/1 is refused and the connection closed") {
  Server server;
  const std::string name = "Host: localhost\r\n";
  CHECK(server.status_of("\x16\x03\x01\x02\x01\x01\x01\xfc\x03\r\n\r\n") == 400);
  CHECK(server.status_of("GET\r\n\r\n") == 400);
  CHECK(server.status_of("GET /page\r\n\r\n") == 400);
  CHECK(server.status_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == 400);
  CHECK(server.status_of("GET /page HTTP/9.9\r\n" + name + "\r\n") == 400);
  CHECK(server.status_of("GET /page HTTP/1.1\r\n" + name + "no header\r\n\r\n") == 400);
  CHECK(server.status_of("GET /page HTTP/1.1\r\n" + name + "Content-Length: x\r\n\r\n") == 400);
  CHECK(server.status_of("GET /page HTTP/1.1\r\n" + name + "a: b\x01\r\n\r\n") == 400);
  CHECK(server.status_of(std::string("GET /\0 HTTP/1.1\r\n\r\n", 20)) == 400);
  CHECK(http_get(server.port(), "http://localhost/page").status == 400);
  CHECK(http_get(server.port(), "*").status == 400);
  CHECK(server.answers());
}

TEST_CASE("A head of more than eight kilobytes is refused") {
  Server server;
  CHECK(server.status_of("GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n") == 431);
  CHECK(server.status_of(request("GET", "A: " + std::string(20'000, 'a') + "\r\n")) == 431);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "A" + std::to_string(i) + ": b\r\n";
  CHECK(server.status_of(request("GET", many)) == 431);
  CHECK(http_get(server.port(), "/page", "A: " + std::string(7000, 'a') + "\r\n").status == 200);
}

TEST_CASE("A name that was made to resolve to a loopback address is refused") {
  Server server;
  const auto with_host = [&](const std::string& host) {
    HttpConnection connection(server.port());
    connection.send("GET /page HTTP/1.1\r\n" + host + "\r\n");
    return connection.read().status;
  };
  CHECK(with_host("Host: evil.example\r\n") == 421);
  CHECK(with_host("Host: localhost.evil.example:9809\r\n") == 421);
  CHECK(with_host("Host: 192.0.2.1\r\n") == 421);
  CHECK(with_host("Host: \r\n") == 421);
  CHECK(with_host("") == 400);
  CHECK(with_host("Host: localhost:1\r\n") == 200);
  CHECK(with_host("Host: 127.0.0.1:9809\r\n") == 200);
}

TEST_CASE("Who may be in a Host header") {
  for (const char* good :
       {"localhost", "LocalHost:1", "127.0.0.1", "127.9.9.9:80", "[::1]", "[::1]:65535"}) {
    INFO(good);
    CHECK(is_loopback_host(good));
  }
  for (const char* bad : {"", ":80", "localhost:x", "localhost:123456", "localhost:1:2",
                          "localhost.", "127.0.0.1.evil.example", "::1", "[::1", "[::1]x",
                          "[localhost]", "[127.0.0.1]", "0.0.0.0", "[::2]", "127.0.0.1@evil"}) {
    INFO(bad);
    CHECK_FALSE(is_loopback_host(bad));
  }
}

TEST_CASE("An address that others may reach answers by any name") {
  Server server({}, "0.0.0.0");
  CHECK(server.status_of("GET / HTTP/1.0\r\nHost: node-7.example\r\n\r\n") == 200);
}

TEST_CASE("All addresses are those of IPv4 and, where the node has it, of IPv6") {
  const Server server({}, "::");
  CHECK(server.answers());
  namespace asio = boost::asio;
  asio::io_context io;
  const auto loopback = asio::ip::address_v6::loopback();
  boost::system::error_code missing;
  asio::ip::tcp::acceptor probe(io);
  probe.open(asio::ip::tcp::v6(), missing);
  if (!missing) probe.bind({loopback, 0}, missing);
  if (missing) return;
  asio::ip::tcp::socket client(io);
  CHECK_NOTHROW(client.connect({loopback, server.port()}));
}

TEST_CASE("Who is silent, or dribbles a request forever, is cut off in time") {
  Server server({.read_timeout = 200ms});
  HttpConnection silent(server.port());
  CHECK(silent.read_to_end().empty());

  HttpConnection dribbling(server.port());
  dribbling.send("GET / HTTP/1.1\r\nHost: localhost\r\nA: ");
  const auto start = std::chrono::steady_clock::now();
  const auto waited = [&] { return std::chrono::steady_clock::now() - start; };
  while (!dribbling.hears(10ms) && waited() < 30s) dribbling.send("a");
  CHECK(waited() < 30s);
  CHECK(dribbling.read_to_end().empty());

  HttpConnection idle(server.port());
  CHECK(idle.get("/once").status == 200);
  CHECK(idle.read_to_end().empty());
  CHECK(server.answers());
}

TEST_CASE("Who does not read his answer holds up nobody") {
  Server server;
  HttpConnection greedy(server.port());
  greedy.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(greedy.hears(30s));
  for (int i = 0; i < 20; ++i) CHECK(server.answers());
}

TEST_CASE("Who does not read his answer gives up his place in time") {
  Server server({.max_connections = 1, .write_timeout = 200ms});
  HttpConnection greedy(server.port());
  greedy.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(greedy.hears(30s));
  CHECK(server.answers_soon());
}

TEST_CASE("Who comes when all places are taken gets that of whoever was silent longest") {
  Server server({.max_connections = 3});
  std::deque<HttpConnection> open;
  for (int i = 0; i < 3; ++i) {
    open.emplace_back(server.port());
    CHECK(open.back().get("/page").status == 200);
  }
  CHECK(open[0].get("/again").status == 200);
  HttpConnection fourth(server.port());
  CHECK(fourth.get("/page").status == 200);
  CHECK(open[1].read_to_end().empty());
  CHECK(open[0].get("/page").status == 200);
  CHECK(open[2].get("/page").status == 200);
}

TEST_CASE("One address takes no place of another, however many connections it opens") {
  Server server({.max_connections = 3});
  HttpConnection other(server.port(), "127.0.0.2");
  CHECK(other.get("/page").status == 200);
  std::deque<HttpConnection> open;
  for (int i = 0; i < 6; ++i) {
    open.emplace_back(server.port());
    CHECK(open.back().get("/page").status == 200);
  }
  CHECK(other.get("/page").status == 200);
  CHECK(open.front().read_to_end().empty());
}

TEST_CASE("However many do not read their answers, who reads is served") {
  Server server({.max_connections = 8, .max_unread_bytes = kLargeBytes + (1u << 20)});
  std::deque<HttpConnection> greedy;
  for (int i = 0; i < 20; ++i) {
    greedy.emplace_back(server.port());
    greedy.back().send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(greedy.back().hears(30s));
    CHECK(server.answers());
  }
  // A second large answer is more than may be unread: the first was cut.
  CHECK(greedy.front().read_to_end().size() < kLargeBytes);
}

TEST_CASE("A page that fails costs its own connection only") {
  Server server;
  HttpConnection connection(server.port());
  connection.send("GET /throws HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(connection.read_to_end().empty());
  CHECK(server.answers());
}

TEST_CASE("The end closes what is open") {
  auto server = std::make_unique<Server>();
  HttpConnection idle(server->port());
  CHECK(idle.get("/page").status == 200);
  HttpConnection begun(server->port());
  begun.send("GET / HT");
  server.reset();
  CHECK(idle.read_to_end().empty());
  CHECK(begun.read_to_end().empty());
}

TEST_CASE("A port that is taken, or an address that is not the node's, is an error") {
  Server server;
  const auto second = HttpStatusServer::listen("127.0.0.1", server.port(), page_of, *server.log);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().message() ==
        "cannot listen for HTTP on \"127.0.0.1:" + std::to_string(server.port()) +
            "\": Address already in use");
  CHECK_FALSE(HttpStatusServer::listen("192.0.2.1", 0, page_of, *server.log).ok());
  CHECK_FALSE(HttpStatusServer::listen("localhost", 0, page_of, *server.log).ok());
}

}  // namespace
}  // namespace longshore::observe
