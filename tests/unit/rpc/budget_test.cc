// What a client can make a server's connection hold: bytes are counted until the call is over,
// reads pause before anything fails, and requests have to be complete in time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <iterator>
#include <string>
#include <vector>

#include "tests/unit/rpc/raw_server_fixture.h"
#include "tests/unit/rpc/rpc_pair.h"

using namespace longshore;
using namespace longshore::rpc;
using namespace std::chrono_literals;

namespace {

size_t connection_window(const std::vector<RawFrame>& frames) {
  size_t sum = 0;
  for (const RawFrame& frame : frames) {
    if (frame.type == FrameType::kWindowUpdate && frame.stream == 0) sum += error_of(frame);
  }
  return sum;
}

// A whole message whose stream stays open.
void send_open_call(RawServer& server, uint32_t stream, const std::string& message) {
  server.client.send_fields(stream, RawPeer::request_fields("/t/Wait"));
  const std::string bytes = message_bytes(message);
  for (size_t offset = 0; offset < bytes.size(); offset += 16000) {
    server.client.send(FrameType::kData, 0, stream, bytes.substr(offset, 16000));
  }
}

}  // namespace

TEST_CASE("A whole message counts until its call is over, and so does the call") {
  const auto server = RawServer::greeted();
  send_open_call(*server, 1, std::string(10000, 'x'));
  server->client.receive();
  CHECK(server->memory->used() == kCallBytes + 10000);
  server->client.send(FrameType::kReset, 0, 1, number_bytes(8, 4));
  server->client.receive();
  CHECK(server->memory->used() == kCallBytes);  // somebody has its stream yet
  server->service.calls.clear();
  CHECK(server->memory->used() == 0);
}

TEST_CASE("Beyond the connection's memory a message fails, and the next one after that does not") {
  Limits limits;
  limits.max_memory_bytes = 300000;
  limits.call_bytes_high_watermark = 1u << 20;  // nothing pauses
  const auto server = RawServer::greeted(limits);
  std::vector<uint32_t> failed;
  for (uint32_t stream = 1; stream < 20; stream += 2) {
    send_open_call(*server, stream, std::string(50000, 'x'));
  }
  for (const RawFrame& frame : server->client.receive()) {
    if (frame.type != FrameType::kHeaders) continue;
    CHECK(value_of(frame.fields, "grpc-status") == "8");
    CHECK(value_of(frame.fields, "grpc-message").find("the connection has no more memory") == 0);
    failed.push_back(frame.stream);
  }
  CHECK(failed.size() == 5);
  CHECK(server->memory->used() <= limits.max_memory_bytes);
  for (uint32_t stream = 1; stream < 20; stream += 2) {
    server->client.send(FrameType::kReset, 0, stream, number_bytes(8, 4));
  }
  server->client.receive();
  server->service.calls.clear();
  CHECK(server->memory->used() == 0);
  server->client.send_call(21, "/t/Echo", "served");
  CHECK(server->client.receive(21).size() == 3);
}

TEST_CASE("The text of an error counts until it is read, and is cut where there is no room") {
  Limits limits;
  limits.max_memory_bytes = 100000;
  const auto server = RawServer::greeted(limits);
  server->link.to_client().capacity = 1000;
  const std::string key = std::string(10000, 'k') + "-bin";
  for (uint32_t stream = 1; stream < 20; stream += 2) {
    server->client.send_fields(stream, RawPeer::request_fields("/t/Echo", {{key, "no base64"}}));
  }
  server->link.run();
  CHECK(server->memory->used() > 80000);
  CHECK(server->memory->used() <= limits.max_memory_bytes);
  server->link.to_client().capacity = MemoryLink::kUnlimited;
  std::vector<std::string> texts;
  for (auto frames = server->client.receive(); !frames.empty() || texts.empty();
       frames = server->client.receive()) {
    for (const RawFrame& frame : frames) {
      if (frame.type != FrameType::kHeaders) continue;
      CHECK(value_of(frame.fields, "grpc-status") == "13");
      texts.push_back(value_of(frame.fields, "grpc-message"));
    }
  }
  REQUIRE(texts.size() == 10);
  CHECK(texts.front() == "the metadata \"" + key + "\" is not base64");
  CHECK(texts.back() == texts.front().substr(0, 256));
  CHECK(server->memory->used() == 0);
}

TEST_CASE("Calls for which there is no memory are told so, as far as the client reads it") {
  Limits limits;
  limits.max_memory_bytes = 2 * kCallBytes;
  const auto server = RawServer::greeted(limits);
  server->link.to_client().capacity = 1000;
  for (uint32_t stream = 1; stream < 200; stream += 2) {
    server->client.send_fields(stream, RawPeer::request_fields("/t/Wait"));
  }
  server->link.run();
  CHECK(server->service.calls.size() == 2);
  server->link.to_client().capacity = MemoryLink::kUnlimited;
  server->link.write(server->link.to_client(), "");
  int told = 0, refused = 0;
  for (const RawFrame& frame : server->client.receive()) {
    if (frame.type == FrameType::kHeaders) {
      CHECK(value_of(frame.fields, "grpc-status") == "8");
      ++told;
    } else if (frame.type == FrameType::kReset && error_of(frame) == 7) {
      ++refused;
    }
  }
  CHECK(told >= 16);
  CHECK(told <= 40);  // those that a first write had room for
  CHECK(told + refused == 98);
  CHECK(server->reason.empty());
}

TEST_CASE("While calls hold much, the client may send no more, and nothing fails") {
  Limits limits;
  limits.call_bytes_high_watermark = 40000;
  limits.connection_window_bytes = 200000;
  const auto server = RawServer::greeted(limits);
  RawPeer& client = server->client;
  size_t given = 0;
  uint32_t stream = 1;
  for (int i = 0; i < 9; ++i, stream += 2) {
    send_open_call(*server, stream, std::string(20000, 'x'));
    given += connection_window(client.receive());
  }
  CHECK(given == 0);  // some were consumed before the mark, too few to be told of
  CHECK(server->service.calls.size() == 9);
  CHECK(server->service.last().messages.size() == 1);
  // Windows updates, resets and new heads are read all the while.
  client.send_fields(stream, RawPeer::request_fields("/t/Wait"));
  client.receive();
  CHECK(server->service.calls.size() == 10);
  for (const auto& call : server->service.calls) call->held.clear();
  given += connection_window(client.receive());
  CHECK(given >= 100000);
}

TEST_CASE("Large messages wait while calls hold much") {
  Limits limits;
  limits.call_bytes_high_watermark = 1u << 20;
  RpcPair pair(limits);
  std::vector<std::shared_ptr<ClientRecord>> records;
  for (size_t i = 0; i < 8; ++i)
    records.push_back(pair.call("/t/Wait", std::string(1u << 20, 'x')));
  pair.link.run();
  size_t whole = 0;
  for (const auto& call : pair.service.calls) whole += call->messages.size();
  CHECK(whole >= 1);
  CHECK(whole <= 4);  // those that had their turn before the first was whole
  for (size_t over = 0; over < 8; ++over) {
    for (const auto& call : pair.service.calls) {
      if (call->messages.size() == 1 && call->stream) {
        call->stream->send_and_finish("done");
        call->stream.reset();
        call->messages.clear();
        break;
      }
    }
    pair.link.run();
  }
  for (const auto& record : records) {
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == StatusCode::kOk);
  }
}

TEST_CASE("Without a word about it, 1 MiB of a connection's answers may be unread") {
  CHECK(Limits().unsent_high_watermark == 1u << 20);
  CHECK(Limits().stream_unsent_bytes <= Limits().unsent_high_watermark);
}

TEST_CASE("While answers are unread no further request is begun, and all are served in the end") {
  Limits limits;
  limits.unsent_high_watermark = 100000;
  RpcPair pair(limits);
  pair.link.to_client().capacity = 0;
  std::vector<std::shared_ptr<ClientRecord>> records;
  for (int i = 0; i < 50; ++i) records.push_back(pair.call("/t/Echo", std::string(20000, 'x')));
  pair.link.run();
  size_t begun = 0;
  for (const auto& call : pair.service.calls) begun += call->half_closed ? 1 : 0;
  CHECK(begun >= 5);
  CHECK(begun < 15);  // the mark, and as much as is being written
  pair.link.to_client().capacity = MemoryLink::kUnlimited;
  pair.link.write(pair.link.to_client(), "");
  pair.link.run();
  for (const auto& record : records) {
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == StatusCode::kOk);
  }
}

TEST_CASE("A message that there is no memory for is refused where it is sent, and ends the call") {
  Limits limits;
  limits.max_memory_bytes = 100000;
  RpcPair pair(limits);
  pair.link.to_client().capacity = 0;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  const auto stream = pair.service.last().stream;
  stream->send(std::string(60000, 'x'));
  CHECK_FALSE(stream->refusal());
  CHECK_FALSE(stream->send(std::string(60000, 'x')));
  REQUIRE(stream->refusal());
  CHECK(stream->refusal()->code() == StatusCode::kResourceExhausted);
  CHECK_THAT(stream->refusal()->message(),
             Catch::Matchers::StartsWith("the client does not read its answers: "));
  pair.link.to_client().capacity = MemoryLink::kUnlimited;
  pair.link.write(pair.link.to_client(), "");
  pair.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kResourceExhausted);
}

TEST_CASE("A stream whose answers are unread gets no further messages") {
  Limits limits;
  limits.stream_unsent_bytes = 50000;
  RpcPair pair(limits);
  ClientCallOptions options;
  options.path = "/t/Wait";
  options.manual_flow = true;
  auto record = std::make_shared<ClientRecord>();
  const auto call = pair.client->open(std::move(options), record);
  pair.link.run();
  const auto stream = pair.service.last().stream;
  const std::string answer(10000, 'a');
  for (size_t i = 0; i < 40; ++i) {
    call->send("ask");
    pair.link.run();
    // As reflection does: each message is answered at once.
    if (pair.service.last().messages.size() > i) stream->send(answer);
    pair.link.run();
  }
  const size_t heard = pair.service.last().messages.size();
  CHECK(heard < 20);  // a window and a queue
  CHECK(pair.memory->used() < 150000);
  call->grant(1000);
  pair.link.run();
  CHECK(pair.service.last().messages.size() == 40);
}

TEST_CASE("A request has to be complete by its deadline") {
  const auto server = RawServer::greeted();
  RawPeer& client = server->client;
  server->service.request_deadline = std::chrono::steady_clock::now() + 20ms;
  uint32_t stream = 1;
  SECTION("nothing but its head came") {
    client.send_fields(1, RawPeer::request_fields("/t/Wait"));
  }
  SECTION("part of a message came") {
    client.send_fields(1, RawPeer::request_fields("/t/Wait"));
    client.send(FrameType::kData, 0, 1, message_bytes("half").substr(0, 6));
  }
  SECTION("a whole message came, and no end") { send_open_call(*server, 1, "whole"); }
  SECTION("others have more time") {
    server->service.request_deadline = std::chrono::steady_clock::now() + 1h;
    client.send_fields(1, RawPeer::request_fields("/t/Wait"));
    client.receive();
    server->service.request_deadline = std::chrono::steady_clock::now() + 20ms;
    stream = 3;
    client.send_fields(3, RawPeer::request_fields("/t/Wait"));
  }
  // Its time may be over as soon as it has come.
  auto frames = client.receive(stream);
  SeenCall& call = server->service.last();
  CHECK(server->run_until([&] { return call.cancels > 0; }));
  std::ranges::move(client.receive(stream), std::back_inserter(frames));
  REQUIRE_FALSE(frames.empty());
  CHECK(value_of(frames[0].fields, "grpc-status") == "4");
  CHECK(server->reason.empty());
  for (const auto& seen : server->service.calls) {
    CHECK(seen->cancels == (seen.get() == &call ? 1 : 0));
  }
}

TEST_CASE("A complete request has no such deadline, and leaves no timer behind") {
  const auto server = RawServer::greeted();
  server->service.request_deadline = std::chrono::steady_clock::now() + 1h;
  server->client.send_fields(1, RawPeer::request_fields("/t/Wait"));
  server->client.receive();
  CHECK_FALSE(server->link.has_nothing_to_wait_for());
  server->client.send(FrameType::kData, kEndStream, 1, message_bytes("whole"));
  server->client.receive();
  CHECK(server->link.has_nothing_to_wait_for());
  CHECK(server->service.last().cancels == 0);
}

TEST_CASE("A client that answers a probe stays, another goes") {
  const auto server = RawServer::greeted();
  SECTION("answered") {
    server->connection->probe(1h);
    const auto ping = server->client.receive(FrameType::kPing);
    REQUIRE(ping);
    CHECK_FALSE(server->link.has_nothing_to_wait_for());
    server->client.send(FrameType::kPing, kAck, 0, ping->payload);
    server->client.receive();
    CHECK(server->link.has_nothing_to_wait_for());
    CHECK(server->reason.empty());
  }
  SECTION("not answered") {
    server->connection->probe(20ms);
    REQUIRE(server->client.receive(FrameType::kPing));
    CHECK(server->run_until([&] { return !server->reason.empty(); }));
    CHECK(server->reason == "the client did not answer a ping in time");
  }
  SECTION("answered with something else") {
    server->connection->probe(20ms);
    REQUIRE(server->client.receive(FrameType::kPing));
    server->client.send(FrameType::kPing, kAck, 0, "whatever");
    CHECK(server->run_until([&] { return !server->reason.empty(); }));
  }
}
