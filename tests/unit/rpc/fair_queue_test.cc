// Connections on one executor: whoever has little to say does not wait for those who have much.
#include "rpc/fair_queue.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/rpc/memory_link.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_service.h"

using namespace longshore::rpc;

namespace {

using Flow = FairQueue::Flow;

struct Fixture {
  boost::asio::io_context context{1};
  FairQueue queue{context.get_executor()};
  std::shared_ptr<Flow> busy = std::make_shared<Flow>(queue);
  std::shared_ptr<Flow> calm = std::make_shared<Flow>(queue);
  std::string order;
};

// Writes its name when its turn comes, so many times.
class NamedTurn final : public FairQueue::Turn, public std::enable_shared_from_this<NamedTurn> {
 public:
  NamedTurn(Fixture& fixture, std::shared_ptr<Flow> flow, char name, int times = 1)
      : fixture_(fixture), flow_(std::move(flow)), name_(name), times_(times) {}

  void enter() { FairQueue::enter(flow_, shared_from_this()); }
  void take_turn() override {
    fixture_.order += name_;
    if (--times_ > 0) enter();
  }

 private:
  Fixture& fixture_;
  const std::shared_ptr<Flow> flow_;
  const char name_;
  int times_;
};

void enter(Fixture& fixture, const std::shared_ptr<Flow>& flow, char name, int times = 1) {
  std::make_shared<NamedTurn>(fixture, flow, name, times)->enter();
}

// A client and the server's end of its connection, on an executor that others use too.
struct Client {
  Client(Fixture& fixture, std::shared_ptr<Flow> flow)
      : link(fixture.context),
        connection(
            make_server_connection(link.make_server(), service, {}, {.flow = std::move(flow)})) {
    connection->start([this](std::string why) { reason = std::move(why); });
    peer.greet();
    peer.receive();
    peer.send(FrameType::kSettings, kAck, 0);
    link.run();
  }
  ~Client() {
    connection->close();
    link.run();
  }

  // From now on the server reads as much at once as it ever does.
  void warm_up() {
    call(20);
    link.run();
    service.calls.clear();
  }

  // All of them are there at once.
  void call(int times) {
    const std::string head = block_bytes(RawPeer::request_fields("/t/Wait"));
    std::string bytes;
    for (; times > 0; --times, stream += 2) {
      bytes += frame_bytes(FrameType::kHeaders, kEndHeaders, stream, head);
      bytes +=
          frame_bytes(FrameType::kData, kEndStream, stream, message_bytes(std::to_string(stream)));
    }
    peer.send(bytes);
  }

  MemoryLink link;
  TestService service;
  std::shared_ptr<ServerConnection> connection;
  RawPeer peer{link, RawPeer::Role::kClient};
  std::string reason;
  uint32_t stream = 1;
};

// A call is two frames and six fields.
constexpr size_t kCallsOfAQuantum = FairQueue::kQuantum / 8;

}  // namespace

TEST_CASE("Flows take turns, however many wait in one") {
  Fixture fixture;
  for (const char name : {'a', 'b', 'c'}) enter(fixture, fixture.busy, name);
  enter(fixture, fixture.calm, 'X');
  fixture.context.run();
  CHECK(fixture.order == "aXbc");
}

TEST_CASE("Who enters again waits behind the others of its flow") {
  Fixture fixture;
  enter(fixture, fixture.busy, 'a', 3);
  enter(fixture, fixture.busy, 'b', 2);
  fixture.context.run();
  CHECK(fixture.order == "ababa");
}

TEST_CASE("What is ready runs between two turns, and can enter before the next") {
  Fixture fixture;
  enter(fixture, fixture.busy, 'a', 4);
  boost::asio::post(fixture.context, [&] { enter(fixture, fixture.calm, 'X'); });
  fixture.context.run();
  CHECK(fixture.order == "aaXaa");
}

TEST_CASE("Much that is done makes the next one wait for a turn") {
  Fixture fixture;
  CHECK(FairQueue::is_free(*fixture.calm));
  FairQueue::add_done(*fixture.busy, FairQueue::kQuantum);
  CHECK_FALSE(FairQueue::is_free(*fixture.calm));
  enter(fixture, fixture.calm, 'X');
  fixture.context.run();
  CHECK(FairQueue::is_free(*fixture.calm));
}

TEST_CASE("A queue that ends drops those who wait") {
  std::weak_ptr<NamedTurn> waiting;
  {
    Fixture fixture;
    const auto turn = std::make_shared<NamedTurn>(fixture, fixture.busy, 'a');
    waiting = turn;
    turn->enter();
  }
  CHECK(waiting.expired());
}

TEST_CASE("A call is not behind all calls of connections of another flow") {
  Fixture fixture;
  std::vector<std::unique_ptr<Client>> busy;
  for (int i = 0; i < 20; ++i) busy.push_back(std::make_unique<Client>(fixture, fixture.busy));
  Client calm(fixture, fixture.calm);
  for (const auto& client : busy) client->warm_up();
  for (const auto& client : busy) client->call(500);
  calm.call(1);
  const auto begun = [&] {
    size_t sum = 0;
    for (const auto& client : busy) sum += client->service.calls.size();
    return sum;
  };
  fixture.context.restart();
  while (calm.service.calls.empty() && fixture.context.poll_one() > 0) continue;
  REQUIRE(calm.service.calls.size() == 1);
  // Before the call was read, and while it waited: not a turn for each of the others.
  CHECK(begun() > 0);
  CHECK(begun() <= 3 * kCallsOfAQuantum);

  calm.link.run();
  CHECK(begun() == 20 * 500);
  for (const auto& client : busy) CHECK(client->reason.empty());
}

TEST_CASE("What is acted on in several turns is whole and in order") {
  Fixture fixture;
  Client client(fixture, fixture.busy);
  client.warm_up();
  client.call(400);
  const std::string large(16'000, 'x');
  client.peer.send_call(client.stream, "/t/Wait", large);
  client.link.run();
  CHECK(client.reason.empty());
  REQUIRE(client.service.calls.size() == 401);
  for (size_t i = 0; i < 400; ++i) {
    CHECK(client.service.calls[i]->messages == std::vector{std::to_string(41 + 2 * i)});
    CHECK(client.service.calls[i]->half_closed);
  }
  CHECK(client.service.last().messages == std::vector{large});
}

TEST_CASE("Nothing is read over what waits for its turn") {
  Fixture fixture;
  Client client(fixture, fixture.busy);
  client.warm_up();
  client.link.to_client().capacity = 0;
  client.peer.send(FrameType::kPing, 0, 0, std::string(8, 'x'));
  client.link.run();
  client.call(400);
  fixture.context.restart();
  while (client.service.calls.empty() && fixture.context.poll_one() > 0) continue;
  REQUIRE(client.service.calls.size() < 400);
  client.link.to_client().capacity = MemoryLink::kUnlimited;
  // What was unsent goes, which is when reading may begin again.
  client.link.read(client.link.to_client());
  client.link.run();
  CHECK(client.reason.empty());
  CHECK(client.service.calls.size() == 400);
}

TEST_CASE("A connection that ends while it waits for its turn does nothing more") {
  Fixture fixture;
  Client client(fixture, fixture.busy);
  client.call(400);
  fixture.context.restart();
  while (client.service.calls.empty() && fixture.context.poll_one() > 0) continue;
  const size_t begun = client.service.calls.size();
  REQUIRE(begun < 400);
  client.connection->close();
  client.link.run();
  CHECK(client.service.calls.size() == begun);
  CHECK(client.reason == "closed by the server");
}
