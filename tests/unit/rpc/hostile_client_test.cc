// Clients that flood, lie, stall or speak something else. The server must shrug or close.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/rpc/raw_server_fixture.h"

using namespace longshore;
using namespace longshore::rpc;

namespace {

constexpr uint32_t kProtocolError = 1;
constexpr uint32_t kEnhanceYourCalm = 11;

// What the server said with GOAWAY when it closed; 0 when it did not close.
uint32_t goaway_error(RawServer& server) {
  const auto goaway = server.client.receive(FrameType::kGoaway);
  if (!goaway || !server.client.is_closed()) return 0;
  return error_of(*goaway);
}

// The largest burst that each kind allows is far below this.
constexpr int kFlood = 5000;

}  // namespace

TEST_CASE("A flood of frames that cost only the server ends the connection") {
  const auto server = RawServer::greeted();
  std::string frame;
  std::string name;
  SECTION("PING") {
    frame = frame_bytes(FrameType::kPing, 0, 0, std::string(8, 'x'));
    name = "PING";
  }
  SECTION("SETTINGS") {
    frame = frame_bytes(FrameType::kSettings, 0, 0, "");
    name = "SETTINGS";
  }
  SECTION("empty DATA") {
    server->client.send_fields(1, RawPeer::request_fields("/t/Wait"));
    frame = frame_bytes(FrameType::kData, 0, 1, "");
    name = "empty";
  }
  SECTION("WINDOW_UPDATE") {
    frame = frame_bytes(FrameType::kWindowUpdate, 0, 0, number_bytes(1, 4));
    name = "WINDOW_UPDATE";
  }
  SECTION("answers to no PING") {
    frame = frame_bytes(FrameType::kPing, kAck, 0, std::string(8, 'x'));
    name = "PING";
  }
  SECTION("GOAWAY") {
    server->client.send_fields(1, RawPeer::request_fields("/t/Wait"));
    frame = frame_bytes(FrameType::kGoaway, 0, 0, number_bytes(0, 8));
    name = "empty";
  }
  std::string flood;
  for (int i = 0; i < kFlood; ++i) flood += frame;
  server->client.send(flood);
  CHECK(goaway_error(*server) == kEnhanceYourCalm);
  CHECK(server->reason.find(name) != std::string::npos);
}

TEST_CASE("Calls that are reset as fast as they are made end the connection") {
  const auto server = RawServer::greeted();
  std::string flood;
  uint32_t stream = 1;
  for (int i = 0; i < kFlood; ++i, stream += 2) {
    flood += frame_bytes(FrameType::kHeaders, kEndHeaders, stream,
                         block_bytes(RawPeer::request_fields("/t/Wait")));
    flood += frame_bytes(FrameType::kReset, 0, stream, number_bytes(8, 4));
  }
  server->client.send(flood);
  CHECK(goaway_error(*server) == kEnhanceYourCalm);
  CHECK(server->service.calls.size() <= 2100);
  for (const auto& call : server->service.calls) {
    CHECK(call->cancels == 1);
    CHECK(call->handler_destroyed);
  }
}

TEST_CASE("Calls that the server has to reset as fast as they are made end the connection") {
  const auto server = RawServer::greeted();
  uint32_t stream = 1;
  for (int i = 0; i < kFlood; ++i, stream += 2) {
    server->client.send_fields(stream, RawPeer::request_fields("/t/Wait"));
    // More window than there can be is an error of the stream.
    server->client.send(FrameType::kWindowUpdate, 0, stream, "\x7f\xff\xff\xff");
  }
  CHECK(goaway_error(*server) == kEnhanceYourCalm);
  CHECK(server->service.calls.size() <= 2100);
}

TEST_CASE("A client that gives up all its calls at once is served on") {
  const auto server = RawServer::greeted();
  uint32_t stream = 1;
  for (int i = 0; i < 1000; ++i, stream += 2) server->client.send_call(stream, "/t/Wait", "");
  for (uint32_t id = 1; id < stream; id += 2) {
    server->client.send(FrameType::kReset, 0, id, number_bytes(8, 4));
  }
  server->link.run();
  CHECK(server->service.calls.size() == 1000);
  server->client.send_call(stream, "/t/Echo", "x");
  CHECK(server->client.receive(stream).size() == 3);
}

TEST_CASE("A ping for each answer is no flood") {
  const auto server = RawServer::greeted();
  uint32_t stream = 1;
  for (int i = 0; i < 500; ++i, stream += 2) {
    server->client.send_call(stream, "/t/Echo", "x");
    server->client.send(FrameType::kPing, 0, 0, std::string(8, 'x'));
    CHECK(server->client.receive().size() >= 4);
  }
  CHECK(server->reason.empty());
}

TEST_CASE("Window updates for what was sent are no flood") {
  const auto server = RawServer::greeted();
  uint32_t stream = 1;
  for (int i = 0; i < 1000; ++i, stream += 2) {
    server->client.send_call(stream, "/t/Echo", "x");
    for (int update = 0; update < 5; ++update) {
      server->client.send(FrameType::kWindowUpdate, 0, 0, number_bytes(1, 4));
    }
    CHECK(server->client.receive(stream).size() == 3);
  }
  CHECK(server->reason.empty());
}

TEST_CASE("A client that writes and never reads is bounded or closed") {
  const auto server = RawServer::greeted();
  server->link.to_client().capacity = 0;
  std::string flood;
  for (int i = 0; i < 90; ++i) flood += frame_bytes(FrameType::kPing, 0, 0, std::string(8, 'x'));
  server->client.send(flood);
  server->link.run();
  CHECK(server->reason.empty());
  server->client.send(flood);
  server->link.run();
  CHECK_FALSE(server->reason.empty());
}

TEST_CASE("A head without end is bounded") {
  const auto server = RawServer::greeted();
  const std::string block = block_bytes({{"x", std::string(16000, 'x')}});
  server->client.send(FrameType::kHeaders, 0, 1, block_bytes(RawPeer::request_fields("/t/Wait")));
  for (int i = 0; i < 1000; ++i) server->client.send(FrameType::kContinuation, 0, 1, block);
  server->link.run();
  CHECK(server->client.is_closed());
  CHECK(server->service.calls.empty());
}

TEST_CASE("A head of empty CONTINUATION frames is bounded") {
  const auto server = RawServer::greeted();
  server->client.send(FrameType::kHeaders, 0, 1, block_bytes(RawPeer::request_fields("/t/Wait")));
  for (int i = 0; i < 1000; ++i) server->client.send(FrameType::kContinuation, 0, 1, "");
  server->link.run();
  CHECK(server->client.is_closed());
}

TEST_CASE("A small head that refers to a large table entry again and again is refused") {
  const auto server = RawServer::greeted();
  // Literal with indexing, then thousands of references to it: a kilobyte each when counted.
  std::string block = block_bytes(RawPeer::request_fields("/t/Wait"));
  block += std::string("\x40\x01x\x7f\x81\x07", 6) + std::string(1024, 'y');
  block += std::string(10000, '\xbe');
  server->client.send(FrameType::kHeaders, kEndHeaders | kEndStream, 1, block);
  const auto frames = server->client.receive(1);
  REQUIRE(frames.size() == 1);
  CHECK(value_of(frames[0].fields, "grpc-status") == "8");
  CHECK(server->service.calls.empty());
}

TEST_CASE("What is not HTTP/2 is closed") {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), std::string(1000, '\0'),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(100, 'x'),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r") + std::string(100, 'x')}) {
    RawServer server;
    server.client.send(bytes);
    CHECK(server.client.is_closed());
    CHECK(server.reason.find("HTTP/2") != std::string::npos);
    CHECK(server.service.calls.empty());
  }
}

TEST_CASE("A client that closes at once, or in the middle of anything, is harmless") {
  const std::string whole = [] {
    std::string bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    bytes += frame_bytes(FrameType::kSettings, 0, 0, "");
    bytes += frame_bytes(FrameType::kHeaders, kEndHeaders, 1,
                         block_bytes(RawPeer::request_fields("/t/Wait")));
    return bytes + frame_bytes(FrameType::kData, 0, 1, message_bytes("x"));
  }();
  for (size_t length = 0; length <= whole.size(); ++length) {
    RawServer server;
    server.client.send(whole.substr(0, length));
    server.link.run();
    CHECK(server.reason.empty());
    server.link.close();
    server.link.run();
    CHECK_FALSE(server.reason.empty());
    for (const auto& call : server.service.calls) {
      CHECK(call->cancels == 1);
      CHECK(call->handler_destroyed);
    }
  }
}

TEST_CASE("Frames that break the protocol end the stream or the connection, never more") {
  struct Row {
    const char* what;
    std::string bytes;
  };
  const RawFields fields = RawPeer::request_fields("/t/Wait");
  const std::string head = frame_bytes(FrameType::kHeaders, kEndHeaders, 1, block_bytes(fields));
  const std::vector<Row> rows = {
      {"DATA on stream 0", frame_bytes(FrameType::kData, 0, 0, "x")},
      {"DATA on a stream that was never opened", frame_bytes(FrameType::kData, 0, 9, "x")},
      {"HEADERS on an even stream",
       frame_bytes(FrameType::kHeaders, kEndHeaders, 2, block_bytes(fields))},
      {"a head that is no HPACK",
       frame_bytes(FrameType::kHeaders, kEndHeaders, 1, "\xff\xff\xff\xff\xff\xff\xff\xff")},
      {"an index beyond the table", frame_bytes(FrameType::kHeaders, kEndHeaders, 1, "\xfe")},
      {"a frame longer than allowed",
       number_bytes(1u << 20, 3) + std::string("\0\0\0\0\0\x01", 6) + std::string(100, 'x')},
      {"a SETTINGS of odd length", frame_bytes(FrameType::kSettings, 0, 0, "12345")},
      {"a SETTINGS with an impossible window",
       frame_bytes(FrameType::kSettings, 0, 0, std::string("\0\4\xff\xff\xff\xff", 6))},
      {"a SETTINGS with a thousand entries", frame_bytes(FrameType::kSettings, 0, 0,
                                                         [] {
                                                           std::string entries;
                                                           for (int i = 0; i < 1000; ++i)
                                                             entries += number_bytes(0x9999, 2) +
                                                                        number_bytes(0, 4);
                                                           return entries;
                                                         }())},
      {"a WINDOW_UPDATE that overflows",
       frame_bytes(FrameType::kWindowUpdate, 0, 0, "\x7f\xff\xff\xff")},
      {"a WINDOW_UPDATE of zero",
       frame_bytes(FrameType::kWindowUpdate, 0, 0, std::string(4, '\0'))},
      {"a RST_STREAM for an idle stream",
       frame_bytes(FrameType::kReset, 0, 99, number_bytes(8, 4))},
      {"a PING of four bytes", frame_bytes(FrameType::kPing, 0, 0, "1234")},
      {"CONTINUATION out of place",
       head + frame_bytes(FrameType::kContinuation, kEndHeaders, 1, "")},
      {"another frame inside a head", frame_bytes(FrameType::kHeaders, 0, 1, block_bytes(fields)) +
                                          frame_bytes(FrameType::kPing, 0, 0, "12345678")},
      {"a PUSH_PROMISE of a client", frame_bytes(FrameType::kPushPromise, kEndHeaders, 1,
                                                 number_bytes(2, 4) + block_bytes(fields))},
      {"padding longer than the frame", head + frame_bytes(FrameType::kData, 8, 1, "\xffxx")},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto server = RawServer::greeted();
    server->client.send(row.bytes);
    server->link.run();
    CHECK(server->client.is_closed());
    CHECK_FALSE(server->reason.empty());
    for (const auto& call : server->service.calls) CHECK(call->handler_destroyed);
  }
}

TEST_CASE("Malformed requests cost their stream only") {
  const RawFields good = RawPeer::request_fields("/t/Wait");
  std::vector<RawFields> rows = {
      {},
      {{":method", "POST"}},
      {{":method", "POST"}, {":scheme", "http"}, {":path", ""}},
      {{":method", "POST"}, {":scheme", "http"}, {":path", "/x"}, {":path", "/y"}},
      {{":method", "POST"}, {":scheme", "http"}, {"a", "b"}, {":path", "/x"}},
      {{":method", "POST"}, {":scheme", "http"}, {":path", "/x"}, {":status", "200"}},
      {{":method", "POST"}, {":scheme", "http"}, {":path", "/x"}, {":unknown", "200"}},
  };
  for (const auto& [name, value] : RawFields{{"Upper-Case", "x"},
                                             {"", "x"},
                                             {"connection", "close"},
                                             {"upgrade", "h2c"},
                                             {"x", "a\nb"}}) {
    RawFields fields = good;
    std::erase_if(fields, [&, name = name](const auto& field) { return field.first == name; });
    fields.emplace_back(name, value);
    rows.push_back(fields);
  }
  const auto server = RawServer::greeted();
  uint32_t stream = 1;
  for (const RawFields& fields : rows) {
    CAPTURE(stream);
    server->client.send_fields(stream, fields, kEndHeaders | kEndStream);
    const auto frames = server->client.receive(stream);
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].type == FrameType::kReset);
    CHECK(error_of(frames[0]) == kProtocolError);
    stream += 2;
  }
  CHECK(server->service.calls.empty());
  server->client.send_call(stream, "/t/Echo", "x");
  CHECK(server->client.receive(stream).size() == 3);
}

TEST_CASE("More streams than allowed end the connection") {
  Limits limits;
  limits.max_concurrent_streams = 10;
  const auto server = RawServer::greeted(limits);
  uint32_t stream = 1;
  for (int i = 0; i < 20; ++i, stream += 2) server->client.send_call(stream, "/t/Wait", "");
  server->link.run();
  CHECK(server->service.calls.size() == 10);
  CHECK(server->client.is_closed());
}

TEST_CASE("Unknown frames and settings are ignored, as HTTP/2 asks") {
  const auto server = RawServer::greeted();
  server->client.send(static_cast<FrameType>(0x42), 0xff, 0, "anything");
  server->client.send(static_cast<FrameType>(0x42), 0xff, 1, "anything");
  server->client.send(FrameType::kSettings, 0, 0, number_bytes(0x4242, 2) + number_bytes(7, 4));
  server->client.send_call(1, "/t/Echo", "x");
  CHECK(server->client.receive(1).size() == 3);
}

TEST_CASE("Messages in padded frames of any size are put together") {
  const auto server = RawServer::greeted();
  server->client.send_fields(1, RawPeer::request_fields("/t/Echo"));
  const std::string bytes = message_bytes("padded message");
  for (const char byte : bytes) {
    server->client.send(FrameType::kData, 8, 1,
                        std::string(1, '\x03') + byte + std::string(3, '\0'));
  }
  server->client.send(FrameType::kData, kEndStream | 8, 1, std::string(1, '\0'));
  const auto frames = server->client.receive(1);
  REQUIRE(frames.size() == 3);
  CHECK(frames[1].payload == bytes);
}

TEST_CASE("Abandoned calls count against the limit of streams while somebody works on them") {
  Limits limits;
  limits.max_concurrent_streams = 5;
  limits.max_resets_per_second = 1000;
  const auto server = RawServer::greeted(limits);
  uint32_t stream = 1;
  for (int i = 0; i < 30; ++i, stream += 2) {
    server->client.send_call(stream, "/t/Wait", "");
    server->client.send(FrameType::kReset, 0, stream, number_bytes(8, 4));
  }
  server->link.run();
  CHECK(server->service.calls.size() == 10);
  server->client.send_call(stream, "/t/Echo", "x");
  const auto refused = server->client.receive(FrameType::kReset);
  REQUIRE(refused);
  CHECK(error_of(*refused) == 7);  // REFUSED_STREAM
}

// The owner lets go of a connection as soon as it is told of its end, as the endpoints do.
TEST_CASE("A client that is gone before the server has said a word harms nobody") {
  boost::asio::io_context context{1};
  MemoryLink link(context);
  TestService service;
  auto owner = make_server_connection(link.make_server(), service, {});
  link.to_client().write_error = std::make_error_code(std::errc::broken_pipe);
  std::string reason;
  ServerConnection& connection = *owner;
  connection.start([&](const std::string& why) {
    reason = why;
    owner.reset();
  });
  CHECK_FALSE(owner);
  CHECK(reason.find("the peer is gone") == 0);
}

TEST_CASE("A client that is gone when it is told to go harms nobody") {
  boost::asio::io_context context{1};
  MemoryLink link(context);
  TestService service;
  auto owner = make_server_connection(link.make_server(), service, {});
  owner->start([&](const std::string&) { owner.reset(); });
  RawPeer client(link, RawPeer::Role::kClient);
  client.greet();
  client.receive();
  link.to_client().write_error = std::make_error_code(std::errc::broken_pipe);
  ServerConnection& connection = *owner;
  connection.drain();
  CHECK_FALSE(owner);
}
