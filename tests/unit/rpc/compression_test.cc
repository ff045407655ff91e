// Compressed requests: refused unless they are allowed, inflated on another thread, within bounds.
#include <catch2/catch.hpp>
#include <future>
#include <string>
#include <vector>

#include "rpc/gzip.h"
#include "tests/unit/rpc/raw_server_fixture.h"
#include "tests/unit/rpc/rpc_pair.h"

using namespace longshore;
using namespace longshore::rpc;

namespace {

Limits with_gzip() {
  Limits limits;
  limits.accept_gzip = true;
  return limits;
}

ClientCallOptions gzip_options() {
  ClientCallOptions options;
  options.gzip = true;
  return options;
}

}  // namespace

TEST_CASE("Where gzip is off, a compressed request is UNIMPLEMENTED and nothing of it is read") {
  RpcPair pair;
  const auto record = pair.finish_call("/t/Echo", std::string(100000, 'x'), gzip_options());
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kUnimplemented);
  CHECK(pair.service.calls.empty());
}

TEST_CASE("Where gzip is on, requests are inflated and answers are sent as they are") {
  RpcPair pair(with_gzip());
  std::string large;
  for (int i = 0; large.size() < (3u << 20); ++i) large += std::to_string(i);
  const auto record = pair.call("/t/Echo", large, gzip_options());
  CHECK(pair.run_until([&] { return record->outcome.has_value(); }));
  CHECK(record->outcome->code == StatusCode::kOk);
  CHECK(pair.service.last().messages.at(0) == large);
  CHECK(record->messages.at(0) == large);
  // Too small to gain anything: sent as it is, beside compressed ones.
  const auto small = pair.finish_call("/t/Echo", "small", gzip_options());
  CHECK(small->messages.at(0) == "small");
  pair.service.calls.clear();
  CHECK(pair.memory->used() == 0);
}

// On whose thread messages are inflated shows when that one does not come to it.
TEST_CASE("While the inflater is held up, the connection answers all else") {
  RpcPair pair(with_gzip());
  std::promise<void> goes_on;
  pair.inflater.post([held = goes_on.get_future().share()] { held.wait(); });
  const auto compressed = pair.call("/t/Echo", std::string(100000, 'x'), gzip_options());
  for (int i = 0; i < 3; ++i) {
    const auto plain = pair.finish_call("/t/Echo", "plain");
    REQUIRE(plain->outcome);
    CHECK(plain->outcome->code == StatusCode::kOk);
  }
  CHECK_FALSE(compressed->outcome);
  goes_on.set_value();
  CHECK(pair.run_until([&] { return compressed->outcome.has_value(); }));
  CHECK(compressed->outcome->code == StatusCode::kOk);
}

TEST_CASE("Messages of a stream stay in order, compressed or not") {
  const auto server = RawServer::greeted(with_gzip());
  const auto request = RawPeer::request_fields("/t/Wait", {{"grpc-encoding", "gzip"}});
  server->client.send_fields(1, request);
  std::vector<std::string> sent;
  for (size_t i = 0; i < 6; ++i) {
    sent.push_back(std::string(1000 + i, static_cast<char>('a' + i)));
    const bool is_compressed = i % 3 != 1;
    server->client.send(
        FrameType::kData, i == 5 ? kEndStream : 0, 1,
        message_bytes(is_compressed ? gzip_compress(sent.back()) : sent.back(), is_compressed));
  }
  server->client.receive();
  SeenCall& call = server->service.last();
  CHECK(server->run_until([&] { return call.half_closed; }));
  CHECK(call.messages == sent);
}

TEST_CASE("A message that is not gzip, or becomes too large, fails its call") {
  struct Row {
    const char* what;
    std::string data;
    std::string status;
  };
  const std::string zeros = gzip_compress(std::string(8u << 20, '\0'));
  REQUIRE(zeros.size() < 60000);
  const std::vector<Row> rows = {
      {"not gzip at all", message_bytes("plain", 1), "13"},
      {"larger than a message may be", message_bytes(zeros, 1), "8"},
      {"an empty one", message_bytes("", 1), "13"},
  };
  const auto server = RawServer::greeted(with_gzip());
  uint32_t stream = 1;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    server->client.send_fields(stream,
                               RawPeer::request_fields("/t/Wait", {{"grpc-encoding", "gzip"}}));
    for (size_t offset = 0; offset < row.data.size(); offset += 16000) {
      const bool is_last = offset + 16000 >= row.data.size();
      server->client.send(FrameType::kData, is_last ? kEndStream : 0, stream,
                          row.data.substr(offset, 16000));
    }
    server->link.run();
    SeenCall& call = server->service.last();
    CHECK(server->run_until([&] { return call.cancels > 0; }));
    CHECK(call.messages.empty());
    const auto frames = server->client.receive(stream);
    REQUIRE_FALSE(frames.empty());
    CHECK(value_of(frames[0].fields, "grpc-status") == row.status);
    stream += 2;
  }
  CHECK(server->reason.empty());
}

TEST_CASE("A message inflates by so much and no more, whatever its size may be") {
  Limits limits = with_gzip();
  limits.max_inflation_ratio = 10;
  RpcPair pair(limits);
  // 64 KiB are free, so that short ones never fail.
  const auto shorter = pair.call("/t/Echo", std::string(64u << 10, 'x'), gzip_options());
  CHECK(pair.run_until([&] { return shorter->outcome.has_value(); }));
  CHECK(shorter->outcome->code == StatusCode::kOk);
  const auto longer = pair.call("/t/Echo", std::string(256u << 10, 'x'), gzip_options());
  CHECK(pair.run_until([&] { return longer->outcome.has_value(); }));
  CHECK(longer->outcome->code == StatusCode::kResourceExhausted);
}

TEST_CASE("A connection has so much inflated in a second") {
  Limits limits = with_gzip();
  limits.max_inflated_bytes_per_second = 1000;
  RpcPair pair(limits);
  const auto first = pair.call("/t/Echo", std::string(60000, 'x'), gzip_options());
  CHECK(pair.run_until([&] { return first->outcome.has_value(); }));
  CHECK(first->outcome->code == StatusCode::kOk);
  const auto second = pair.call("/t/Echo", std::string(600, 'x'), gzip_options());
  CHECK(pair.run_until([&] { return second->outcome.has_value(); }));
  CHECK(second->outcome->code == StatusCode::kResourceExhausted);
  // What is not compressed is not concerned.
  CHECK(pair.finish_call("/t/Echo", std::string(600, 'x'))->outcome->code == StatusCode::kOk);
}

TEST_CASE("A connection may end while its message is at the inflater") {
  auto server = RawServer::greeted(with_gzip());
  server->client.send_fields(1, RawPeer::request_fields("/t/Wait", {{"grpc-encoding", "gzip"}}));
  const std::string message = gzip_compress(std::string(3u << 20, 'x'));
  server->client.send(FrameType::kData, kEndStream, 1, message_bytes(message, 1));
  server->client.receive();
  SECTION("the stream alone") {
    server->client.send(FrameType::kReset, 0, 1, number_bytes(8, 4));
    server->client.receive();
    CHECK(server->service.last().cancels == 1);
  }
  SECTION("all of it") {
    server->connection->close();
    server->inflater.stop();
    server->link.run();
  }
  CHECK(server->service.last().messages.empty());
  server->service.calls.clear();
  CHECK(server->run_until([&] { return server->memory->used() == 0; }));
}
