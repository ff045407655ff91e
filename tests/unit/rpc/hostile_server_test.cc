// Servers that are not gRPC, lie, or leave: what the client makes of them.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_service.h"

using namespace longshore;
using namespace longshore::rpc;

namespace {

struct RawClient {
  explicit RawClient(const Limits& limits = {})
      : connection(make_client_connection(link.make_client(), "localhost", limits)) {
    connection->start([this](std::string why) { reason = std::move(why); });
    server.greet();
    server.receive();
    server.send(FrameType::kSettings, kAck, 0);
  }
  ~RawClient() {
    connection->close();
    link.run();
  }

  // Begins a call on the next stream.
  std::shared_ptr<ClientRecord> call(ClientCallOptions options = {}) {
    auto record = std::make_shared<ClientRecord>();
    options.path = "/t/Any";
    last_call = connection->call(std::move(options), "request", record);
    link.run();
    return record;
  }

  boost::asio::io_context context{1};
  MemoryLink link{context};
  std::shared_ptr<ClientConnection> connection;
  std::shared_ptr<ClientCall> last_call;
  std::string reason;
  RawPeer server{link, RawPeer::Role::kServer};
};

const RawFields kHead = {{":status", "200"}, {"content-type", "application/grpc"}};

}  // namespace

TEST_CASE("A request has what gRPC asks for") {
  RawClient client;
  ClientCallOptions options;
  options.timeout = std::chrono::hours(1);
  options.metadata = {{"x-bin", "foo"}};
  client.call(options);
  const auto frames = client.server.receive(1);
  REQUIRE(frames.size() == 2);
  const RawFields& fields = frames[0].fields;
  CHECK(value_of(fields, ":method") == "POST");
  CHECK(value_of(fields, ":scheme") == "http");
  CHECK(value_of(fields, ":path") == "/t/Any");
  CHECK(value_of(fields, ":authority") == "localhost");
  CHECK(value_of(fields, "te") == "trailers");
  CHECK(value_of(fields, "content-type") == "application/grpc");
  CHECK(value_of(fields, "grpc-accept-encoding") == "identity");
  CHECK(value_of(fields, "grpc-encoding") == "<none>");
  CHECK(value_of(fields, "x-bin") == "Zm9v");
  CHECK(value_of(fields, "grpc-timeout").size() > 1);
  CHECK(frames[1].payload == message_bytes("request"));
  CHECK((frames[1].flags & kEndStream) != 0);
}

TEST_CASE("An HTTP status without a gRPC status becomes the code of gRPC's table") {
  struct Row {
    std::string status;
    StatusCode code;
  };
  const std::vector<Row> rows = {
      {"400", StatusCode::kInternal},         {"401", StatusCode::kUnauthenticated},
      {"403", StatusCode::kPermissionDenied}, {"404", StatusCode::kUnimplemented},
      {"429", StatusCode::kUnavailable},      {"502", StatusCode::kUnavailable},
      {"503", StatusCode::kUnavailable},      {"504", StatusCode::kUnavailable},
      {"500", StatusCode::kUnknown},          {"418", StatusCode::kUnknown},
      {"302", StatusCode::kUnknown}};
  RawClient client;
  uint32_t stream = 1;
  for (const Row& row : rows) {
    for (const uint8_t end : {kEndStream, uint8_t{0}}) {
      const auto record = client.call();
      client.server.send_fields(stream, {{":status", row.status}, {"content-type", "text/html"}},
                                static_cast<uint8_t>(kEndHeaders | end));
      client.link.run();
      REQUIRE(record->outcome);
      CHECK(record->outcome->code == row.code);
      CHECK(record->outcome->text.find(row.status) != std::string::npos);
      stream += 2;
    }
  }
}

TEST_CASE("A gRPC status counts even beside an HTTP error") {
  RawClient client;
  const auto record = client.call();
  client.server.send_fields(1,
                            {{":status", "503"}, {"grpc-status", "7"}, {"grpc-message", "no%21"}},
                            kEndHeaders | kEndStream);
  client.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kPermissionDenied);
  CHECK(record->outcome->text == "no!");
}

TEST_CASE("Answers that are not whole are errors that say so") {
  struct Row {
    const char* what;
    RawFields head;
    std::string data;
    RawFields trailers;  // none: the data ends the stream
    StatusCode code;
  };
  const std::vector<Row> rows = {
      {"not gRPC",
       {{":status", "200"}, {"content-type", "text/html"}},
       "x",
       {},
       StatusCode::kUnknown},
      {"no status at all", kHead, message_bytes("x"), {}, StatusCode::kUnknown},
      {"trailers without a status", kHead, message_bytes("x"), {{"a", "b"}}, StatusCode::kUnknown},
      {"a status that is no number", kHead, "", {{"grpc-status", "ok"}}, StatusCode::kUnknown},
      {"a status out of range", kHead, "", {{"grpc-status", "17"}}, StatusCode::kUnknown},
      {"a negative status", kHead, "", {{"grpc-status", "-1"}}, StatusCode::kUnknown},
      {"half a message",
       kHead,
       message_bytes("abc").substr(0, 6),
       {{"grpc-status", "0"}},
       StatusCode::kInternal},
      {"half a message, and an error",
       kHead,
       message_bytes("abc").substr(0, 6),
       {{"grpc-status", "10"}},
       StatusCode::kAborted},
      {"a broken flag",
       kHead,
       message_bytes("abc", 9),
       {{"grpc-status", "0"}},
       StatusCode::kInternal},
      {"compressed without saying so",
       kHead,
       message_bytes("abc", 1),
       {{"grpc-status", "0"}},
       StatusCode::kInternal},
      {"compressed and said not to be",
       {{":status", "200"}, {"content-type", "application/grpc"}, {"grpc-encoding", "identity"}},
       message_bytes("abc", 1),
       {{"grpc-status", "0"}},
       StatusCode::kInternal},
      {"an encoding that was not offered",
       {{":status", "200"}, {"content-type", "application/grpc"}, {"grpc-encoding", "gzip"}},
       message_bytes("abc", 1),
       {{"grpc-status", "0"}},
       StatusCode::kInternal},
      {"an encoding alone",
       {{":status", "200"}, {"content-type", "application/grpc"}, {"grpc-encoding", "br"}},
       "",
       {{"grpc-status", "0"}},
       StatusCode::kInternal},
      {"too large",
       kHead,
       std::string("\0\x7f\xff\xff\xff", 5),
       {{"grpc-status", "0"}},
       StatusCode::kResourceExhausted},
  };
  RawClient client;
  uint32_t stream = 1;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto record = client.call();
    client.server.send_fields(stream, row.head);
    client.server.send(FrameType::kData, row.trailers.empty() ? kEndStream : uint8_t{0}, stream,
                       row.data);
    if (!row.trailers.empty())
      client.server.send_fields(stream, row.trailers, kEndHeaders | kEndStream);
    client.link.run();
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == row.code);
    CHECK((!record->outcome->text.empty() || row.code == StatusCode::kAborted ||
           row.trailers.size() == 1));
    CHECK(record->finishes == 1);
    stream += 2;
  }
  CHECK(client.reason.empty());
}

TEST_CASE("A compressed answer ends the call as soon as it says so") {
  RawClient client;
  const auto record = client.call();
  SECTION("in its head") {
    client.server.send_fields(
        1, {{":status", "200"}, {"content-type", "application/grpc"}, {"grpc-encoding", "gzip"}});
  }
  SECTION("in the flag of a message") {
    client.server.send_fields(1, kHead);
    client.server.send(FrameType::kData, 0, 1,
                       message_bytes(std::string(1u << 20, 'x'), 1).substr(0, 5));
  }
  client.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kInternal);
  CHECK(record->outcome->text.find("only identity is") != std::string::npos);
  CHECK(record->messages.empty());
  CHECK(client.server.receive(FrameType::kReset));
}

TEST_CASE("A reset becomes the code of gRPC's table") {
  struct Row {
    uint32_t error;
    StatusCode code;
  };
  const std::vector<Row> rows = {
      {0, StatusCode::kInternal},           {1, StatusCode::kInternal},
      {2, StatusCode::kInternal},           {8, StatusCode::kCancelled},
      {11, StatusCode::kResourceExhausted}, {12, StatusCode::kPermissionDenied},
      {999, StatusCode::kInternal}};
  RawClient client;
  uint32_t stream = 1;
  for (const Row& row : rows) {
    const auto record = client.call();
    client.server.send(FrameType::kReset, 0, stream, number_bytes(row.error, 4));
    client.link.run();
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == row.code);
    CHECK_FALSE(record->outcome->unseen);
    stream += 2;
  }
}

TEST_CASE("A refused call is sent once more, and not twice") {
  RawClient client;
  const auto record = client.call();
  client.server.receive();
  client.server.send(FrameType::kReset, 0, 1, number_bytes(7, 4));
  const auto again = client.server.receive(3);
  REQUIRE(again.size() == 2);
  CHECK(value_of(again[0].fields, ":path") == "/t/Any");
  CHECK(again[1].payload == message_bytes("request"));
  CHECK_FALSE(record->outcome);
  SECTION("and then succeeds") {
    client.server.send_fields(
        3, {{":status", "200"}, {"content-type", "application/grpc"}, {"grpc-status", "0"}},
        kEndHeaders | kEndStream);
    client.link.run();
    CHECK(record->outcome->code == StatusCode::kOk);
  }
  SECTION("and is refused again") {
    client.server.send(FrameType::kReset, 0, 3, number_bytes(7, 4));
    client.link.run();
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == StatusCode::kUnavailable);
    CHECK(record->outcome->unseen);
    CHECK(client.server.receive(5).empty());
  }
}

TEST_CASE("A call that GOAWAY leaves out is reported as unseen, the others go on") {
  RawClient client;
  const auto served = client.call();
  const auto left_out = client.call();
  client.server.send(FrameType::kGoaway, 0, 0, number_bytes(1, 4) + number_bytes(0, 4));
  client.link.run();
  REQUIRE(left_out->outcome);
  CHECK(left_out->outcome->code == StatusCode::kUnavailable);
  CHECK(left_out->outcome->unseen);
  CHECK_FALSE(served->outcome);
  CHECK_FALSE(client.connection->accepts_calls());
  client.server.send_fields(
      1, {{":status", "200"}, {"content-type", "application/grpc"}, {"grpc-status", "0"}},
      kEndHeaders | kEndStream);
  client.link.run();
  REQUIRE(served->outcome);
  CHECK(served->outcome->code == StatusCode::kOk);
  CHECK_FALSE(client.reason.empty());  // nothing is left to do here
}

TEST_CASE("An impolite GOAWAY is told to the log") {
  RawClient client;
  client.server.send(FrameType::kGoaway, 0, 0,
                     number_bytes(0, 4) + number_bytes(11, 4) + "too_many_pings");
  client.link.run();
  CHECK(client.reason.find("too_many_pings") != std::string::npos);
}

TEST_CASE("A server that leaves without a word ends the calls") {
  RawClient client;
  const auto record = client.call();
  client.server.send_fields(1, kHead);
  client.server.send(FrameType::kData, 0, 1, message_bytes("first"));
  client.link.run();
  CHECK(record->messages.size() == 1);
  client.link.close();
  client.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kUnavailable);
  CHECK_FALSE(record->outcome->unseen);
}

TEST_CASE("An interim response is skipped") {
  RawClient client;
  const auto record = client.call();
  client.server.send_fields(1, {{":status", "103"}, {"link", "x"}});
  client.server.send_fields(1,
                            {{":status", "200"}, {"content-type", "application/grpc"}, {"a", "b"}});
  client.server.send(FrameType::kData, 0, 1, message_bytes("x"));
  client.server.send_fields(1, {{"grpc-status", "0"}}, kEndHeaders | kEndStream);
  client.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kOk);
  CHECK(record->outcome->head == Metadata{{"a", "b"}});
}

TEST_CASE("Metadata of an answer over the limit fails the call") {
  Limits limits;
  limits.max_header_bytes = 1000;
  RawClient client(limits);
  const auto record = client.call();
  client.server.send_fields(
      1, {{":status", "200"}, {"content-type", "application/grpc"}, {"x", std::string(2000, 'x')}});
  client.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kResourceExhausted);
}

TEST_CASE("What a server may not do ends the connection") {
  const std::vector<std::string> rows = {
      frame_bytes(FrameType::kPushPromise, kEndHeaders, 1,
                  number_bytes(2, 4) + block_bytes(RawPeer::request_fields("/x"))),
      frame_bytes(FrameType::kHeaders, kEndHeaders, 2, block_bytes(kHead)),
      frame_bytes(FrameType::kHeaders, kEndHeaders, 99, block_bytes(kHead)),
      frame_bytes(FrameType::kData, 0, 0, "x"),
      std::string("HTTP/1.1 400 Bad Request\r\n\r\n"),
  };
  for (const std::string& bytes : rows) {
    CAPTURE(&bytes - rows.data());
    RawClient client;
    const auto record = client.call();
    client.server.send(bytes);
    client.link.run();
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == StatusCode::kUnavailable);
    CHECK_FALSE(client.reason.empty());
  }
}

TEST_CASE("A server that floods the client is left") {
  RawClient client;
  const auto record = client.call();
  for (int i = 0; i < 5000; ++i) client.server.send(FrameType::kPing, 0, 0, "12345678");
  client.link.run();
  CHECK_FALSE(client.reason.empty());
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kUnavailable);
}
