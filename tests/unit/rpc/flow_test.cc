// Flow control: slow readers hold senders back, memory stays bounded, and nobody waits for ever.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/rpc/raw_server_fixture.h"
#include "tests/unit/rpc/rpc_pair.h"

using namespace longshore;
using namespace longshore::rpc;

namespace {

// How many bytes WINDOW_UPDATE frames give back to a stream.
size_t window_given(const std::vector<RawFrame>& frames, uint32_t stream) {
  size_t sum = 0;
  for (const RawFrame& frame : frames) {
    if (frame.type == FrameType::kWindowUpdate && frame.stream == stream) sum += error_of(frame);
  }
  return sum;
}

}  // namespace

TEST_CASE("Large messages pass through small windows") {
  Limits limits;
  limits.stream_window_bytes = 65535;
  limits.connection_window_bytes = 65535;
  limits.max_message_bytes = 16u << 20;
  limits.max_memory_bytes = 64u << 20;
  RpcPair pair(limits, limits);
  const std::string large(16u << 20, 'x');
  const auto record = pair.finish_call("/t/Echo", large);
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kOk);
  CHECK(record->messages.at(0) == large);
}

TEST_CASE("Many large uploads take turns and all arrive") {
  Limits limits;
  limits.max_buffered_bytes = 2u << 20;
  RpcPair pair(limits);
  std::vector<std::shared_ptr<ClientRecord>> records;
  for (size_t i = 0; i < 12; ++i) {
    records.push_back(pair.call("/t/Echo", std::string(1u << 20, static_cast<char>('a' + i))));
  }
  pair.link.run();
  for (size_t i = 0; i < 12; ++i) {
    REQUIRE(records[i]->outcome);
    CHECK(records[i]->outcome->code == StatusCode::kOk);
    CHECK(records[i]->messages.at(0) == std::string(1u << 20, static_cast<char>('a' + i)));
  }
}

TEST_CASE("A large message that waits for its turn gets no more window") {
  Limits limits;
  limits.stream_window_bytes = 64u << 10;
  limits.max_buffered_bytes = 2u << 20;
  const auto server = RawServer::greeted(limits);
  RawPeer& client = server->client;
  const std::string first_bytes = message_bytes(std::string(1u << 20, 'x')).substr(0, 40000);
  client.send_fields(1, RawPeer::request_fields("/t/Wait"));
  for (const uint32_t stream : {3u, 5u})
    client.send_fields(stream, RawPeer::request_fields("/t/Wait"));
  for (const uint32_t stream : {1u, 3u, 5u}) {
    for (size_t offset = 0; offset < first_bytes.size(); offset += 10000) {
      client.send(FrameType::kData, 0, stream, first_bytes.substr(offset, 10000));
    }
  }
  auto frames = client.receive();
  CHECK(window_given(frames, 1) >= 32768);  // nghttp2 tells by half windows
  CHECK(window_given(frames, 3) == 0);
  CHECK(window_given(frames, 5) == 0);
  // The first gives up: the second's turn.
  client.send(FrameType::kReset, 0, 1, number_bytes(8, 4));
  frames = client.receive();
  CHECK(window_given(frames, 3) >= 32768);
  CHECK(window_given(frames, 5) == 0);
}

TEST_CASE("Too many incomplete messages fail, the connection stays") {
  Limits limits;
  limits.max_buffered_bytes = 100000;
  const auto server = RawServer::greeted(limits);
  RawPeer& client = server->client;
  std::vector<uint32_t> failed;
  uint32_t stream = 1;
  for (int i = 0; i < 8; ++i, stream += 2) {
    client.send_fields(stream, RawPeer::request_fields("/t/Wait"));
    client.send(FrameType::kData, 0, stream,
                message_bytes(std::string(20000, 'x')).substr(0, 10000));
  }
  for (const RawFrame& frame : client.receive()) {
    if (frame.type != FrameType::kHeaders) continue;
    CHECK(value_of(frame.fields, "grpc-status") == "8");
    failed.push_back(frame.stream);
  }
  CHECK(failed.size() == 3);  // five of them fit into half of the budget
  client.send_call(stream, "/t/Echo", "still served");
  CHECK(client.receive(stream).size() == 3);
}

TEST_CASE("What was sent for a call that is over gives its window back") {
  Limits limits;
  limits.stream_window_bytes = 64u << 10;
  limits.connection_window_bytes = 100000;
  const auto server = RawServer::greeted(limits);
  RawPeer& client = server->client;
  client.send_fields(1, RawPeer::request_fields("/t/Unknown"));
  size_t given = 0;
  for (int i = 0; i < 30; ++i) {
    client.send(FrameType::kData, 0, 1, std::string(10000, 'x'));
    given += window_given(client.receive(), 0);
  }
  CHECK(given >= 200000);
  CHECK(server->reason.empty());
}

TEST_CASE("A peer that oversteps its window is refused") {
  Limits limits;
  limits.stream_window_bytes = 20000;
  limits.max_buffered_bytes = 1u << 20;
  const auto server = RawServer::greeted(limits);
  RawPeer& client = server->client;
  const std::string bytes = message_bytes(std::string(1u << 20, 'x')).substr(0, 16000);
  for (const uint32_t stream : {1u, 3u}) {
    client.send_fields(stream, RawPeer::request_fields("/t/Wait"));
    client.send(FrameType::kData, 0, stream, bytes);
  }
  client.receive();
  // The first message has the room, the second waits and got no more window.
  client.send(FrameType::kData, 0, 3, bytes);
  const auto reset = client.receive(FrameType::kReset);
  REQUIRE(reset);
  CHECK(reset->stream == 3);
  CHECK(error_of(*reset) == 3);  // FLOW_CONTROL_ERROR
  CHECK(server->service.calls.at(1)->cancels == 1);
}

TEST_CASE("A stream whose client does not read reports that it is full, and when it is not") {
  Limits server_limits;
  server_limits.stream_unsent_bytes = 100000;
  Limits client_limits;
  client_limits.stream_window_bytes = 65535;
  RpcPair pair(server_limits, client_limits);
  ClientCallOptions options;
  options.manual_flow = true;
  const auto record = pair.finish_call("/t/Wait", "", options);
  const auto stream = pair.service.last().stream;
  int sent = 0;
  const std::string message(10000, 'x');
  while (sent < 1000) {
    ++sent;
    const bool has_room = stream->send(message);
    pair.link.run();
    if (!has_room) break;
  }
  // One window and one queue.
  CHECK(sent < 20);
  CHECK(record->messages.empty());
  CHECK(pair.service.last().writable == 0);
  pair.last_call->grant(3);
  pair.link.run();
  CHECK(record->messages.size() == 3);
  CHECK(pair.service.last().writable == 0);
  pair.last_call->grant(1000);
  pair.link.run();
  CHECK(pair.service.last().writable == 1);
  CHECK(record->messages.size() == static_cast<size_t>(sent));
  CHECK(stream->send(message));
  stream->finish(StatusCode::kOk, "", {});
  pair.link.run();
  CHECK(record->outcome->code == StatusCode::kOk);
}

TEST_CASE("A sender on another thread waits for room and never for ever") {
  Limits limits;
  limits.stream_unsent_bytes = 20000;
  RpcPair pair(limits);
  const auto record = pair.finish_call("/t/Wait", "");
  SeenCall& call = pair.service.last();
  constexpr size_t kMessages = 300;
  std::atomic<bool> in_time{true};
  std::thread sender([&, stream = call.stream] {
    int rooms_seen = 0;
    for (size_t i = 0; i < kMessages; ++i) {
      if (stream->send(std::string(3000, 'x'))) continue;
      ++rooms_seen;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (call.writable.load() < rooms_seen && in_time) {
        if (std::chrono::steady_clock::now() > end) in_time = false;
        std::this_thread::yield();
      }
    }
    stream->finish(StatusCode::kOk, "", {});
  });
  CHECK(pair.run_until([&] { return record->outcome.has_value(); }));
  sender.join();
  CHECK(in_time);
  CHECK(record->messages.size() == kMessages);
}

TEST_CASE("A stalled reader does not hold back other calls") {
  RpcPair pair;
  ClientCallOptions options;
  options.manual_flow = true;
  const auto stalled = pair.finish_call("/t/Wait", "", options);
  const auto stream = pair.service.last().stream;
  while (stream->send(std::string(100000, 'x'))) pair.link.run();
  pair.link.run();
  for (int i = 0; i < 20; ++i) {
    const auto record = pair.finish_call("/t/Echo", std::string(300000, 'y'));
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == StatusCode::kOk);
  }
  CHECK(stalled->messages.empty());
}

TEST_CASE("The status waits until what came before it has been asked for") {
  RpcPair pair;
  ClientCallOptions options;
  options.manual_flow = true;
  const auto record = pair.finish_call("/t/Wait", "", options);
  const auto stream = pair.service.last().stream;
  for (const char* message : {"one", "two", "three"}) stream->send(message);
  stream->finish(StatusCode::kOk, "end", {});
  pair.link.run();
  CHECK_FALSE(record->outcome);
  pair.last_call->grant(2);
  CHECK(record->messages.size() == 2);
  CHECK_FALSE(record->outcome);
  SECTION("asked for on a living connection") {
    pair.last_call->grant(1);
    CHECK(record->messages.size() == 3);
    REQUIRE(record->outcome);
    CHECK(record->outcome->text == "end");
  }
  SECTION("asked for when the connection is gone") {
    pair.client->close();
    pair.last_call->grant(1);
    CHECK(record->messages.size() == 3);
    REQUIRE(record->outcome);
    CHECK(record->outcome->text == "end");
  }
  SECTION("cancelled instead") {
    pair.last_call->cancel();
    pair.link.run();
    CHECK(record->messages.size() == 2);
    CHECK(record->outcome->code == StatusCode::kCancelled);
  }
}

TEST_CASE("Answers that nobody reads are bounded for the whole connection") {
  Limits limits;
  limits.max_memory_bytes = 1u << 20;
  RpcPair pair(limits);
  std::vector<std::shared_ptr<ClientRecord>> records;
  for (int i = 0; i < 8; ++i) records.push_back(pair.call("/t/Wait", ""));
  pair.link.run();
  pair.link.to_client().capacity = 0;
  for (const auto& call : pair.service.calls)
    call->stream->send_and_finish(std::string(300000, 'x'));
  pair.link.run();
  pair.link.to_client().capacity = MemoryLink::kUnlimited;
  pair.link.write(pair.link.to_client(), "");
  pair.link.run();
  int ok = 0;
  for (const auto& record : records) {
    REQUIRE(record->outcome);
    if (record->outcome->code == StatusCode::kOk) {
      ++ok;
    } else {
      CHECK(record->outcome->code == StatusCode::kResourceExhausted);
    }
  }
  CHECK(ok == 3);
}

TEST_CASE("A slow socket gets everything in order") {
  RpcPair pair;
  pair.link.to_client().capacity = 1000;
  pair.link.to_client().portion = 300;
  pair.link.to_server().capacity = 700;
  const std::string large(500000, 'z');
  const auto record = pair.finish_call("/t/Echo", large);
  REQUIRE(record->outcome);
  CHECK(record->messages.at(0) == large);
}

TEST_CASE("While answers cannot leave, a busy client is not read for ever") {
  Limits limits;
  limits.max_concurrent_streams = 100000;
  limits.max_memory_bytes = 100u << 20;  // the service forgets nothing
  const auto server = RawServer::greeted(limits);
  server->link.to_client().capacity = 0;
  uint32_t stream = 1;
  for (int i = 0; i < 20000; ++i, stream += 2) server->client.send_call(stream, "/t/Unknown", "");
  server->link.run();
  CHECK(server->link.to_server().bytes.size() > 1000000);  // what was not read
  CHECK(server->service.calls.size() < 5000);
  // It reads again when its answers are read.
  server->link.to_client().capacity = MemoryLink::kUnlimited;
  server->link.write(server->link.to_client(), "");
  server->link.run();
  CHECK(server->service.calls.size() == 20000);
  CHECK(server->reason.empty());
}
