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

TEST_CASE("A connection is idle while no call of its client is open") {
  RpcPair pair;
  CHECK(pair.server->is_idle());
  const auto running = pair.call("/t/Wait", "");
  pair.link.run();
  CHECK_FALSE(pair.server->is_idle());
  pair.service.last().stream->send_and_finish("answer");
  pair.link.run();
  CHECK(pair.server->is_idle());
}

TEST_CASE("An idle connection that gives way still serves a call that crosses the first GOAWAY") {
  const auto server = RawServer::greeted();
  RawPeer& client = server->client;
  server->connection->give_way(false);
  const auto frames = client.receive();
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].payload.substr(0, 4) == "\x7f\xff\xff\xff");
  client.send_call(1, "/t/Echo", "on its way");
  const auto answer = client.receive(1);
  REQUIRE(answer.size() == 3);
  CHECK(value_of(answer[2].fields, "grpc-status") == "0");
  client.send(FrameType::kPing, kAck, 0, frames[1].payload);
  CHECK(client.is_closed());
}

TEST_CASE(
    "A connection that has to give way at once tells its client which calls it has not seen") {
  const auto server = RawServer::greeted();
  server->client.send_call(1, "/t/Echo", "seen");
  server->client.receive(1);
  if (GENERATE(false, true)) server->connection->drain();  // its ping is not answered yet
  server->connection->give_way(true);
  CHECK_FALSE(server->reason.empty());
  server->client.send_call(3, "/t/Echo", "too late");
  std::string last;
  for (const RawFrame& frame : server->client.receive()) {
    if (frame.type == FrameType::kGoaway) last = frame.payload;
  }
  CHECK(last.substr(0, 8) == std::string("\0\0\0\x01\0\0\0\0", 8));
  CHECK(server->client.is_closed());
  CHECK(server->service.calls.size() == 1);
}

TEST_CASE("A client that has said nothing is not waited for where it has to give way") {
  RawServer server;
  server.connection->give_way(false);
  CHECK_FALSE(server.reason.empty());
  CHECK(server.client.receive(FrameType::kGoaway));
  CHECK(server.client.is_closed());
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
  const std::string ping = frames[1].payload;

  client.send_call(1, "/t/Echo", "on its way");
  frames = client.receive(1);
  REQUIRE(frames.size() == 3);
  CHECK(value_of(frames[2].fields, "grpc-status") == "0");

  client.send(FrameType::kPing, kAck, 0, ping);
  const auto last = client.receive(FrameType::kGoaway);
  REQUIRE(last);
  CHECK(last->payload.substr(0, 4) == std::string("\0\0\0\x01", 4));
  CHECK(client.is_closed());
}

TEST_CASE("A client that never answers the ping is told to go all the same, and its calls run on") {
  Limits limits;
  limits.drain_ping_timeout = 200ms;
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
  CHECK(server->client.is_closed());
}

TEST_CASE("A call that outlasts the drain is cancelled after the drain timeout") {
  Limits limits;
  limits.drain_ping_timeout = 100ms;
  limits.drain_timeout = 1s;
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
  limits.drain_ping_timeout = 200ms;
  RawServer server(limits);
  server.connection->drain();
  server.client.greet();
  server.link.run();
  CHECK(server.reason.empty());
  server.context.restart();
  server.context.run_one_for(10s);
  CHECK(server.client.is_closed());
}

TEST_CASE("What a client still sends at the end breaks nothing: it closes first") {
  const auto server = RawServer::greeted();
  RawPeer& client = server->client;
  server->connection->drain();
  const std::string ping = client.receive().at(1).payload;
  // Of more than one read: there is a larger buffer then, which shrinks at the end.
  std::string frames;
  for (int i = 0; i < 250; ++i) {
    frames += frame_bytes(FrameType::kWindowUpdate, 0, 0, number_bytes(1, 4));
  }
  client.send(frames + frame_bytes(FrameType::kPing, kAck, 0, ping));
  REQUIRE(client.is_closed());
  CHECK_FALSE(server->link.to_server().closed);
  client.send(FrameType::kWindowUpdate, 0, 0, number_bytes(1, 4));
  client.send_call(1, "/t/Echo", "too late");
  server->link.run();
  CHECK(server->service.calls.empty());
  CHECK(server->reason.empty());
  // What is asked of it meanwhile changes nothing.
  server->connection->drain();
  server->connection->probe(1ms);
  server->link.run();
  CHECK(server->reason.empty());
  server->link.close();
  server->link.run();
  CHECK(server->reason == "both sides are done");
}

TEST_CASE("A client that does not close at the end is closed") {
  Limits limits;
  SECTION("in time") {
    limits.linger_timeout = 5ms;
    const auto server = RawServer::greeted(limits);
    server->connection->drain();
    server->client.send(FrameType::kPing, kAck, 0, server->client.receive().at(1).payload);
    CHECK(server->run_until([&] { return !server->reason.empty(); }));
    CHECK(server->reason == "the client did not close in time");
  }
  SECTION("whatever it sends") {
    const auto server = RawServer::greeted(limits);
    server->connection->drain();
    server->client.send(FrameType::kPing, kAck, 0, server->client.receive().at(1).payload);
    server->client.send(std::string(2u << 20, 'x'));
    server->link.run();
    CHECK(server->reason == "the client did not close in time");
  }
  SECTION("at once where another one wants its place") {
    const auto server = RawServer::greeted(limits);
    server->connection->drain();
    server->client.send(FrameType::kPing, kAck, 0, server->client.receive().at(1).payload);
    CHECK(server->reason.empty());
    server->connection->give_way(true);
    CHECK(server->reason == "it was idle, and another client wants its place");
  }
}

TEST_CASE("A connection that is over leaves its executor no timer, whoever holds it") {
  RawServer server;
  server.connection->drain();
  server.connection->close();
  CHECK(server.link.has_nothing_to_wait_for());
}

TEST_CASE("A drained connection that is closed twice stays closed") {
  RpcPair pair;
  pair.server->close();
  pair.server->drain();
  pair.server->close();
  pair.link.run();
  CHECK(pair.server_closed == "closed by the server");
}

TEST_CASE("Without a word about it, a client has 10 s to begin to speak") {
  CHECK(Limits().preface_timeout == 10s);
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
    CHECK(server.reason == "the client did not begin to speak HTTP/2 in time");
  }
  SECTION("a timeout, and a client that says hello and no more") {
    limits.preface_timeout = 5ms;
    RawServer server(limits);
    server.client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    server.context.restart();
    server.context.run_one_for(10s);
    CHECK(server.run_until([&] { return !server.reason.empty(); }));
    CHECK(server.reason == "the client did not begin to speak HTTP/2 in time");
  }
  SECTION("a timeout, and a client that speaks") {
    limits.preface_timeout = 1h;
    const auto server = RawServer::greeted(limits);
    CHECK(server->link.has_nothing_to_wait_for());
    CHECK(server->reason.empty());
  }
}
