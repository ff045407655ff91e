// Clients that connect while an endpoint ends.
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <string>

#include "endpoint/endpoint.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/endpoint/no_calls.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

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

// An endpoint at work, and its socket.
struct World {
  World() {
    options.listener.path = directory / "a/a.sock";
    options.limits.drain_ping_timeout = std::chrono::milliseconds(1);
    auto opened = Endpoint::open(options, {io, router, runner, nullptr, catalog, **log});
    REQUIRE(opened);
    endpoint = std::move(*opened);
  }
  const std::string& path() const { return options.listener.path; }

  const test::TemporaryDirectory directory;
  asio::io_context io;
  router::Timers timers;
  router::Router router{timers, {}};
  NoCalls runner;
  const loader::CatalogHolder catalog;
  Result<std::unique_ptr<observe::Log>> log = observe::Log::open({.level = observe::Level::kError});
  EndpointOptions options{.name = "test"};
  std::shared_ptr<Endpoint> endpoint;
};

TEST_CASE("Whom the kernel lets in as an endpoint begins to drain is told to go") {
  World world;
  asio::io_context clients;
  Client first(clients, world.path());
  Client second(clients, world.path());
  Client third(clients, world.path());
  // The first is welcomed; the kernel gives out the second at once, for which the turn is next. The
  // third stays in the socket's queue.
  REQUIRE(world.io.run_one() == 1);
  REQUIRE(world.endpoint->connections() == 1);
  bool is_drained = false;
  world.endpoint->drain([&] { is_drained = true; });
  CHECK_FALSE(is_drained);
  CHECK_THROWS(Client(clients, world.path()));
  world.io.run_for(std::chrono::seconds(30));
  CHECK(is_drained);
  for (Client* client : {&first, &second, &third}) {
    boost::system::error_code end;
    const std::string frames = client->read_all(end);
    CHECK(has_frame(frames, 7));  // GOAWAY
    CHECK(end == asio::error::eof);
  }
}

TEST_CASE("Clients that have gone before they are let in do not disturb a drain") {
  World world;
  asio::io_context clients;
  Client first(clients, world.path());
  for (int gone = 0; gone < 3; ++gone) Client(clients, world.path());
  // One of them is let in by the kernel before the drain, and has its turn after its begin.
  REQUIRE(world.io.run_one() == 1);
  REQUIRE(world.endpoint->connections() == 1);
  bool is_drained = false;
  world.endpoint->drain([&] { is_drained = true; });
  world.io.run_for(std::chrono::seconds(30));
  CHECK(is_drained);
  CHECK(world.endpoint->connections() == 0);
}

}  // namespace
}  // namespace longshore::endpoint
