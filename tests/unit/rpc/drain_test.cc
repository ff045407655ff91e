// The polite end of a connection: two GOAWAYs, and what runs may end.
#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/rpc/raw_server_fixture.h"
#include "tests/unit/rpc/rpc_pair.h"

using namespace longshore;
using namespace longshore::rpc;
using namespace std::chrono_literals;

TEST_CASE("A drained connection without calls closes") {
  RpcPair pair;
  pair.finish_call("/t/Echo", "x");
  pair.server->drain();
  pair.link.run();
  CHECK_FALSE(pair.server_closed.empty());
  CHECK_FALSE(pair.client_closed.empty());
  CHECK_FALSE(pair.client->accepts_calls());
}

TEST_CASE("Running calls end well during a drain, and new ones are told to go elsewhere") {
  RpcPair pair;
  const auto running = pair.call("/t/Wait", "");
  pair.link.run();
  pair.server->drain();
  pair.server->drain();
  pair.link.run();
  CHECK(pair.server_closed.empty());
  CHECK_FALSE(pair.client->accepts_calls());
  const auto late = pair.finish_call("/t/Echo", "");
  CHECK(late->outcome->code == StatusCode::kUnavailable);
  CHECK(late->outcome->unseen);
  pair.service.last().stream->send_and_finish("answer");
  pair.link.run();
  CHECK(running->outcome->code == StatusCode::kOk);
  CHECK(running->messages.at(0) == "answer");
  CHECK_FALSE(pair.server_closed.empty());
}

TEST_CASE("A call that crosses the first GOAWAY on its way is still served") {
  const auto server = RawServer::greeted();
  RawPeer& client = server->client;
  server->connection->drain();
  auto frames = client.receive();
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].type == FrameType::kGoaway);
  CHECK(frames[0].payload.substr(0, 4) == "\x7f\xff\xff\xff");
  CHECK(error_of(frames[0]) == 0);
  REQUIRE(frames[1].type == FrameType::kPing);

  client.send_call(1, "/t/Echo", "on its way");
  frames = client.receive(1);
  REQUIRE(frames.size() == 3);
  CHECK(value_of(frames[2].fields, "grpc-status") == "0");

  client.send(FrameType::kPing, kAck, 0, std::string(8, 'p'));
  const auto last = client.receive(FrameType::kGoaway);
  REQUIRE(last);
  CHECK(last->payload.substr(0, 4) == std::string("\0\0\0\x01", 4));
  CHECK(client.is_closed());
}

TEST_CASE("A client that never answers the ping is told to go all the same, and its calls run on") {
  Limits limits;
  limits.drain_ping_timeout = 10ms;
  const auto server = RawServer::greeted(limits);
  server->client.send_call(1, "/t/Wait", "");
  server->client.receive();
  server->connection->drain();
  const auto first = server->client.receive(FrameType::kGoaway);
  REQUIRE(first);
  server->context.restart();
  server->context.run_one_for(10s);
  CHECK(first->payload.substr(0, 4) == "\x7f\xff\xff\xff");
  const auto last = server->client.receive(FrameType::kGoaway);
  REQUIRE(last);
  CHECK(last->payload.substr(0, 4) == std::string("\0\0\0\x01", 4));
  CHECK(server->reason.empty());
  server->service.last().stream->send_and_finish("answer");
  server->link.run();
  CHECK(server->service.last().cancels == 0);
  CHECK_FALSE(server->reason.empty());
}

TEST_CASE("A call that outlasts the drain is cancelled after the drain timeout") {
  Limits limits;
  limits.drain_ping_timeout = 5ms;
  limits.drain_timeout = 10ms;
  const auto server = RawServer::greeted(limits);
  server->client.send_call(1, "/t/Wait", "");
  server->client.receive();
  server->connection->drain();
  server->link.run();
  CHECK(server->reason.empty());
  CHECK(server->service.last().cancels == 0);
  server->context.restart();
  server->context.run_for(10s);  // until no timer is left
  CHECK(server->reason == "the drain took too long");
  CHECK(server->service.last().cancels == 1);
}

TEST_CASE("A client that first speaks during a drain has no more time than others") {
  Limits limits;
  limits.drain_ping_timeout = 10ms;
  RawServer server(limits);
  server.connection->drain();
  server.client.greet();
  server.link.run();
  CHECK(server.reason.empty());
  server.context.restart();
  server.context.run_one_for(10s);
  CHECK(server.reason == "both sides are done");
}

TEST_CASE("A drained connection that is closed twice stays closed") {
  RpcPair pair;
  pair.server->close();
  pair.server->drain();
  pair.server->close();
  pair.link.run();
  CHECK(pair.server_closed == "closed by the server");
}

TEST_CASE("A client that says nothing is closed only where a timeout says so") {
  Limits limits;
  SECTION("no timeout") {
    RawServer server(limits);
    server.link.run();
    CHECK(server.reason.empty());
    CHECK_FALSE(server.link.to_client().bytes.empty());  // our settings
  }
  SECTION("a timeout") {
    limits.preface_timeout = 5ms;
    RawServer server(limits);
    server.context.restart();
    server.context.run_one_for(10s);
    CHECK(server.reason == "the client did not say anything in time");
  }
  SECTION("a timeout, and a client that speaks") {
    limits.preface_timeout = 5ms;
    const auto server = RawServer::greeted(limits);
    server->context.restart();
    server->context.run_for(10s);  // returns at once: no timer is left
    CHECK(server->reason.empty());
  }
}
