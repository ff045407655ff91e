// Clients that connect while an endpoint ends.
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <string>

#include "endpoint/endpoint.h"
#include "tests/support/temporary_directory.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

struct NoCalls final : router::CallRunner {
  bool takes(const router::Method&) const override { return false; }
  void run_soon(std::shared_ptr<router::Work>, router::WorkerPool&) override {}
};

// A client that has sent the beginning of a connection of HTTP/2, with settings and nothing else.
struct Client {
  Client(asio::io_context& io, const std::string& path) : socket(io) {
    socket.connect(Local::endpoint(path));
    const std::string begin("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
    asio::write(socket, asio::buffer(begin));
  }
  // What comes until the end, and how it ends.
  std::string read_all(boost::system::error_code& end) {
    std::string all;
    asio::read(socket, asio::dynamic_buffer(all), end);
    return all;
  }

  Local::socket socket;
};

// Whether the frames have one of this type.
bool has_frame(std::string_view frames, char type) {
  while (frames.size() >= 9) {
    if (frames[3] == type) return true;
    const size_t length =
        static_cast<unsigned char>(frames[1]) * 256U + static_cast<unsigned char>(frames[2]);
    frames.remove_prefix(std::min(frames.size(), 9 + length));
  }
  return false;
}

TEST_CASE("Whom the kernel lets in as an endpoint begins to drain is told to go") {
  const test::TemporaryDirectory directory;
  asio::io_context io;
  asio::io_context clients;
  router::Timers timers;
  router::Router router(timers, {});
  NoCalls runner;
  const loader::CatalogHolder catalog;
  const auto log = observe::Log::open({.level = observe::Level::kError});
  REQUIRE(log);
  EndpointOptions options{.name = "test"};
  options.socket.path = directory / "a/a.sock";
  options.limits.drain_ping_timeout = std::chrono::milliseconds(1);
  auto endpoint =
      Endpoint::open(options, {io, router, runner, nullptr, catalog, **log}, std::nullopt);
  REQUIRE(endpoint);
  Client first(clients, options.socket.path);
  Client second(clients, options.socket.path);
  Client third(clients, options.socket.path);
  // The first is welcomed; the kernel gives out the second at once, for which the turn is next. The
  // third stays in the socket's queue.
  REQUIRE(io.run_one() == 1);
  REQUIRE((*endpoint)->connections() == 1);
  bool is_drained = false;
  (*endpoint)->drain([&] { is_drained = true; });
  CHECK_FALSE(is_drained);
  CHECK_THROWS(Client(clients, options.socket.path));
  io.run_for(std::chrono::seconds(30));
  CHECK(is_drained);
  for (Client* client : {&first, &second, &third}) {
    boost::system::error_code end;
    const std::string frames = client->read_all(end);
    CHECK(has_frame(frames, 7));  // GOAWAY
    CHECK(end == asio::error::eof);
  }
}

}  // namespace
}  // namespace longshore::endpoint
