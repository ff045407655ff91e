// Memory that is not accounted for any more is not held any more.
#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <memory>

#include "rpc/message_framing.h"
#include "rpc/send_queue.h"
#include "tests/support/heap_bytes.h"
#include "tests/unit/rpc/raw_server_fixture.h"

using namespace longshore;
using namespace longshore::rpc;
using namespace std::chrono_literals;

namespace {

constexpr size_t kMebibyte = 1u << 20;
constexpr size_t kLittle = 64u << 10;

// Since the time when it was made.
class Growth {
 public:
  size_t bytes() const {
    const size_t now = test::heap_bytes();
    return now > before_ ? now - before_ : 0;
  }

 private:
  const size_t before_ = test::heap_bytes();
};

}  // namespace

TEST_CASE("A message that is given up takes its memory along") {
  MessageReader reader(kMebibyte);
  const Growth growth;
  const std::string bytes = message_bytes(std::string(kMebibyte, 'x')).substr(0, kMebibyte / 2);
  std::string_view left(bytes);
  CHECK(reader.read(left) == MessageReader::Step::kMoreNeeded);
  reader.reserve();
  CHECK(growth.bytes() >= kMebibyte);
  reader.drop();
  CHECK(growth.bytes() < kMebibyte / 2 + kLittle);  // of `bytes`
}

TEST_CASE("What was sent is given back before the last of it has gone") {
  SendQueue queue;
  const Growth growth;
  for (int i = 0; i < 16; ++i) queue.push(std::string(kMebibyte, 'x'));
  queue.push("the rest");
  CHECK(growth.bytes() >= 16 * kMebibyte);
  queue.drop_sent();  // of a call that will not begin anew
  for (int i = 0; i < 16; ++i) {
    std::string sent;
    queue.take(kMebibyte + kMessagePrefixBytes, sent);
  }
  CHECK(queue.size() > 0);
  CHECK(growth.bytes() < kLittle);
}

TEST_CASE("Streams whose large messages never come hold none of their memory when they are late") {
  Limits limits;
  limits.max_message_bytes = kMebibyte;
  limits.max_buffered_bytes = 4 * kMebibyte;
  const auto server = RawServer::greeted(limits);
  server->link.to_client().capacity = 0;  // no stream can be closed
  const Growth growth;
  server->service.request_deadline = std::chrono::steady_clock::now() + 20ms;
  constexpr uint32_t kStreams = 32;
  for (uint32_t stream = 1; stream < 2 * kStreams; stream += 2) {
    server->client.send_fields(stream, RawPeer::request_fields("/t/Wait"));
    server->client.send(FrameType::kData, 0, stream,
                        message_bytes(std::string(kMebibyte, 'x')).substr(0, kMessagePrefixBytes));
  }
  server->link.run();
  REQUIRE(server->service.calls.size() == kStreams);
  REQUIRE(server->run_until([&] { return server->service.calls.back()->cancels > 0; }));
  server->link.run();
  for (const auto& call : server->service.calls) CHECK(call->cancels == 1);
  CHECK(growth.bytes() < kMebibyte);
}

// What every csi-proxy client leaves behind until Go collects it, by what is given back when it
// goes; a socket's buffers are the kernel's. Not where a mutex alone has a sanitizer's records.
TEST_CASE("A connection that has nothing to do takes no more than is charged for it", "[large]") {
  struct Client {
    explicit Client(boost::asio::io_context& context) : link(context) {}
    MemoryLink link;
    RawPeer peer{link, RawPeer::Role::kClient};
    std::shared_ptr<ServerConnection> connection;
  };
  constexpr size_t kClients = 100;
  const size_t answer_bytes = GENERATE(0u, 1000u, 6000u);  // of the last call
  CAPTURE(answer_bytes);
  boost::asio::io_context context{1};
  TestService service;
  std::deque<Client> clients;
  for (size_t i = 0; i < kClients; ++i) {
    Client& client = clients.emplace_back(context);
    client.connection =
        make_server_connection(client.link.make_server(), service, {}, {nullptr, account_of({})});
    client.connection->start([](const std::string&) {});
    client.peer.greet();
    client.peer.receive();
    client.peer.send(FrameType::kSettings, kAck, 0);
    client.peer.send_call(1, "/t/Echo", std::string(answer_bytes, 'x'));
    client.link.run();
    REQUIRE_FALSE(client.peer.receive(1).empty());
    REQUIRE(client.connection->is_idle());
    service.calls.clear();  // the test's own record
  }
  const size_t before = test::heap_bytes();
  for (Client& client : clients) {
    client.connection->close();
    client.link.run();
    client.connection.reset();
  }
  const size_t taken = (before - test::heap_bytes()) / kClients;
  CHECK(taken <= kConnectionBytes);
  CHECK(taken > kConnectionBytes / 10 * 9);  // the rest is the endpoint's
}
