// What the head of a call decides and what the end of its request does, and by when that has to
// come, however long the call itself may take.
#include "endpoint/routed_call.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/endpoint/no_calls.h"
#include "tests/unit/router/test_target.h"
#include "tests/unit/rpc/raw_peer.h"

namespace longshore::endpoint {
namespace {

using namespace std::chrono_literals;
using rpc::FrameType;
using rpc::RawPeer;
using std::chrono::steady_clock;

const std::string kFeed = "acme.feed.v1.Feed";
const std::string kWatchPath = "/" + kFeed + "/Watch";    // has no end
const std::string kFormatPath = "/" + kFeed + "/Format";  // may take ten minutes

// All of them, until the test changes something, as a reload does.
struct TestRights final : PeerRights {
  uint64_t version() const override { return number; }
  bool serves(std::string_view service) const override { return service != not_served; }
  std::shared_ptr<const router::MethodSet> allowed() override { return methods; }

  void allow_nothing() {
    ++number;
    methods = std::make_shared<router::MethodSet>(
        router::MethodSet{.names = {}, .key = "endpoints.feed.permissions"});
  }
  void serve_no_more() {
    ++number;
    not_served = kFeed;
  }

  uint64_t number = 1;
  std::string not_served;
  std::shared_ptr<const router::MethodSet> methods;
};

std::shared_ptr<router::Method> feed_method(const std::string& name) {
  auto method = std::make_shared<router::Method>();
  method->service = kFeed;
  method->name = name;
  method->full_name = kFeed + "/" + name;
  return method;
}

// A server whose calls go into a router, to a target that never begins them; and a client that
// sends what it likes.
class RoutingServer final : private rpc::ServiceHandler {
 public:
  // None: as endpoints have it.
  explicit RoutingServer(std::optional<std::chrono::nanoseconds> request_time = {})
      : request_time_(request_time) {
    auto watch = feed_method("Watch");
    watch->server_streaming = watch->long_running = true;
    auto format = feed_method("Format");
    format->timeout = 10min;
    router_.set_routes(std::make_shared<router::RouteTable>(
        router::RouteTable{.by_method = {{watch->full_name, router::Route{watch, target}},
                                         {format->full_name, router::Route{format, target}}}}));
    connection_ = rpc::make_server_connection(link.make_server(), *this, limits_);
    connection_->start([](const std::string&) {});
    client.greet();
    client.receive();
    client.send(FrameType::kSettings, rpc::kAck, 0);
  }
  ~RoutingServer() {
    connection_->close();
    link.run();
  }

  template <typename Done>
  bool run_until(Done done) {
    const auto end = steady_clock::now() + 30s;
    for (context.restart(); !done() && steady_clock::now() < end;) {
      context.run_one_until(end);
      if (context.stopped()) context.restart();
    }
    return done();
  }

  boost::asio::io_context context{1};
  rpc::MemoryLink link{context};
  RawPeer client{link, RawPeer::Role::kClient};
  const std::shared_ptr<router::TestTarget> target = std::make_shared<router::TestTarget>();
  TestRights rights;
  std::vector<steady_clock::time_point> deadlines;  // of each call's request, from its head on

 private:
  std::unique_ptr<rpc::ServerCallHandler> start_call(
      const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream) override {
    CallOrigin origin{router_, runner_, caller_, rights};
    if (request_time_) origin.request_time = *request_time_;
    auto handler = start_routed_call(head, std::move(stream), origin);
    if (handler) deadlines.push_back(handler->request_deadline());
    return handler;
  }

  const std::optional<std::chrono::nanoseconds> request_time_;
  const rpc::Limits limits_;
  router::Timers timers_;
  router::Router router_{timers_, {}};
  NoCalls runner_;
  const std::shared_ptr<const router::Caller> caller_ =
      std::make_shared<router::Caller>(router::Caller{"uid:0", "uid:0", nullptr});
  std::shared_ptr<rpc::ServerConnection> connection_;
};

}  // namespace

TEST_CASE("A head is refused before anything of its request has come") {
  RoutingServer server;
  std::string path = kFormatPath;
  std::string code;
  std::string text;
  SECTION("because its peer may call nothing") {
    server.rights.allow_nothing();
    code = "7";
    text =
        "uid:0 may not call acme.feed.v1.Feed/Format; endpoints.feed.permissions in the "
        "configuration does not allow it";
  }
  SECTION("because nobody serves the method") {
    path = "/" + kFeed + "/Nothing";
    code = "12";
    text = "no enabled module serves the method acme.feed.v1.Feed/Nothing";
  }
  server.client.send_fields(1, RawPeer::request_fields(path));
  const auto frames = server.client.receive(1);
  REQUIRE_FALSE(frames.empty());
  CHECK(rpc::value_of(frames[0].fields, "grpc-status") == code);
  CHECK(rpc::value_of(frames[0].fields, "grpc-message") == text);
  CHECK((frames[0].flags & rpc::kEndStream) != 0);
  CHECK(server.deadlines.empty());  // nothing waits for the request
  CHECK(server.target->taken == 0);
}

TEST_CASE("Rights that change while a request comes are looked at again at its end") {
  RoutingServer server;
  server.client.send_fields(1, RawPeer::request_fields(kFormatPath));
  server.client.send(FrameType::kData, 0, 1, rpc::message_bytes("whole"));
  CHECK(server.client.receive(1).empty());
  REQUIRE(server.deadlines.size() == 1);
  std::string code;
  SECTION("the peer may call nothing any more") {
    server.rights.allow_nothing();
    code = "7";
  }
  SECTION("the service is not served here any more") {
    server.rights.serve_no_more();
    code = "12";
  }
  SECTION("what has changed does not matter to it") { ++server.rights.number; }
  server.client.send(FrameType::kData, rpc::kEndStream, 1);
  const auto frames = server.client.receive(1);
  CHECK(server.target->taken == (code.empty() ? 1 : 0));
  REQUIRE(frames.empty() == code.empty());
  if (!frames.empty()) CHECK(rpc::value_of(frames[0].fields, "grpc-status") == code);
}

TEST_CASE("A request has 30 s to be complete, also where the call has no end") {
  RoutingServer server;
  const auto before = steady_clock::now();
  server.client.send_fields(1, RawPeer::request_fields(kWatchPath));
  server.client.send_fields(3, RawPeer::request_fields(kFormatPath));
  server.client.send_fields(5, RawPeer::request_fields(kWatchPath, {{"grpc-timeout", "1H"}}));
  server.client.send_fields(7, RawPeer::request_fields(kWatchPath, {{"grpc-timeout", "2S"}}));
  server.client.receive();
  const auto after = steady_clock::now();
  REQUIRE(server.deadlines.size() == 4);
  for (size_t call = 0; call < 4; ++call) {
    CAPTURE(call);
    const auto time = call == 3 ? 2s : 30s;
    CHECK(server.deadlines[call] >= before + time);
    CHECK(server.deadlines[call] <= after + time);
  }
}

TEST_CASE("A call without an end fails where its request does not become complete in time") {
  RoutingServer server(20ms);
  server.client.send_fields(1, RawPeer::request_fields(kWatchPath));
  const std::string message = rpc::message_bytes("whole");
  SECTION("there is only its head") {}
  SECTION("there is part of a message") {
    server.client.send(FrameType::kData, 0, 1, message.substr(0, 6));
  }
  SECTION("there is a whole message, which could be followed by another") {
    server.client.send(FrameType::kData, 0, 1, message);
  }
  std::vector<rpc::RawFrame> frames;
  CHECK(server.run_until([&] {
    if (frames.empty()) frames = server.client.receive(1);
    return !frames.empty();
  }));
  REQUIRE_FALSE(frames.empty());
  CHECK(rpc::value_of(frames[0].fields, "grpc-status") == "4");
  CHECK(rpc::value_of(frames[0].fields, "grpc-message") == "the request was not complete in time");
  CHECK(server.target->taken == 0);
}

TEST_CASE("A call without an end goes on for ever once its request is complete") {
  RoutingServer server(1h);
  server.client.send_fields(1, RawPeer::request_fields(kWatchPath));
  CHECK_FALSE(server.link.has_nothing_to_wait_for());
  server.client.send(FrameType::kData, rpc::kEndStream, 1, rpc::message_bytes("whole"));
  CHECK(server.link.has_nothing_to_wait_for());
  CHECK(server.client.receive(1).empty());
  CHECK(server.target->taken == 1);
}

}  // namespace longshore::endpoint
