// Requests that are not what gRPC asks for, and how they are answered on the wire.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/rpc/raw_server_fixture.h"

using namespace longshore;
using namespace longshore::rpc;
using namespace std::chrono_literals;

namespace {

// The head of the answer to a call that is nothing but its head.
RawFrame answer_to(RawServer& server, uint32_t stream, const RawFields& fields) {
  server.client.send_fields(stream, fields, kEndHeaders | kEndStream);
  const auto frames = server.client.receive(stream);
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].type == FrameType::kHeaders);
  CHECK((frames[0].flags & kEndStream) != 0);
  return frames[0];
}

RawFields without(RawFields fields, const std::string& name) {
  std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  return fields;
}

RawFields with(RawFields fields, const std::string& name, const std::string& value) {
  fields = without(std::move(fields), name);
  fields.emplace(name[0] == ':' ? fields.begin() : fields.end(), name, value);
  return fields;
}

const RawFields kEcho = RawPeer::request_fields("/t/Echo");

}  // namespace

TEST_CASE("A unary answer is HEADERS, DATA and trailers") {
  const auto server = RawServer::greeted();
  server->client.send_call(1, "/t/Echo", "hello");
  const auto frames = server->client.receive(1);
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].type == FrameType::kHeaders);
  CHECK(value_of(frames[0].fields, ":status") == "200");
  CHECK(value_of(frames[0].fields, "content-type") == "application/grpc");
  CHECK(value_of(frames[0].fields, "grpc-accept-encoding") == "identity");
  CHECK(value_of(frames[0].fields, "grpc-encoding") == "<none>");
  CHECK(frames[1].type == FrameType::kData);
  CHECK(frames[1].payload == message_bytes("hello"));
  CHECK((frames[1].flags & kEndStream) == 0);
  CHECK(frames[2].fields == RawFields{{"grpc-status", "0"}});
  CHECK((frames[2].flags & kEndStream) != 0);
}

TEST_CASE("An answer without a message is its head alone") {
  const auto server = RawServer::greeted();
  server->client.send_fields(1, RawPeer::request_fields("/t/Unknown"), kEndHeaders | kEndStream);
  const auto frames = server->client.receive(1);
  REQUIRE(frames.size() == 1);
  CHECK(value_of(frames[0].fields, ":status") == "200");
  CHECK(value_of(frames[0].fields, "grpc-status") == "12");
  CHECK(value_of(frames[0].fields, "grpc-message") == "unknown method");
}

TEST_CASE("A status that comes before the request's end tells the client to stop sending") {
  const auto server = RawServer::greeted();
  server->client.send_fields(1, RawPeer::request_fields("/t/Unknown"));
  const auto frames = server->client.receive(1);
  REQUIRE(frames.size() == 2);
  CHECK((frames[0].flags & kEndStream) != 0);
  REQUIRE(frames[1].type == FrameType::kReset);
  CHECK(error_of(frames[1]) == 0);
}

TEST_CASE("What is not POST or not gRPC gets an HTTP status") {
  const auto server = RawServer::greeted();
  const RawFrame get = answer_to(*server, 1, with(kEcho, ":method", "GET"));
  CHECK(value_of(get.fields, ":status") == "405");
  CHECK(value_of(get.fields, "allow") == "POST");
  CHECK(value_of(answer_to(*server, 3, with(kEcho, "content-type", "application/json")).fields,
                 ":status") == "415");
  CHECK(value_of(answer_to(*server, 5, without(kEcho, "content-type")).fields, ":status") == "415");
  CHECK(value_of(answer_to(*server, 7, with(kEcho, "content-type", "application/grpc-web")).fields,
                 ":status") == "415");
  CHECK(server->service.calls.empty());
}

TEST_CASE("Harmless oddities are served") {
  const auto server = RawServer::greeted();
  uint32_t stream = 1;
  for (const RawFields& fields :
       {without(kEcho, "te"), without(kEcho, ":authority"), with(kEcho, ":authority", ""),
        with(kEcho, ":authority", "\\\\.\\pipe\\x:99999"),
        with(kEcho, "content-type", "application/grpc+proto"), with(kEcho, ":scheme", "https"),
        with(kEcho, "user-agent", "anything"), with(kEcho, "grpc-encoding", "identity"),
        with(kEcho, "grpc-message-type", "x"), with(kEcho, "grpc-accept-encoding", "zstd,,")}) {
    server->client.send_fields(stream, fields);
    server->client.send(FrameType::kData, kEndStream, stream, message_bytes("x"));
    const auto frames = server->client.receive(stream);
    REQUIRE(frames.size() == 3);
    CHECK(value_of(frames[2].fields, "grpc-status") == "0");
    CHECK(server->service.last().head.metadata.empty());
    stream += 2;
  }
}

TEST_CASE("grpc-timeout reaches the handler, a malformed one does not") {
  const auto server = RawServer::greeted();
  server->client.send_call(1, "/t/Echo", "x", {{"grpc-timeout", "1500m"}});
  server->client.receive();
  CHECK(server->service.last().head.timeout == std::chrono::nanoseconds(1500ms));
  uint32_t stream = 3;
  for (const char* text : {"", "1", "S", "123456789S", "-1S", "1x"}) {
    const RawFrame answer = answer_to(*server, stream, with(kEcho, "grpc-timeout", text));
    CHECK(value_of(answer.fields, "grpc-status") == "13");
    stream += 2;
  }
  CHECK(server->service.calls.size() == 1);
}

TEST_CASE("Metadata that is not base64 is an error that names it") {
  const auto server = RawServer::greeted();
  const RawFrame answer = answer_to(*server, 1, with(kEcho, "x-bin", "not base64"));
  CHECK(value_of(answer.fields, "grpc-status") == "13");
  CHECK(value_of(answer.fields, "grpc-message").find("x-bin") != std::string::npos);
}

TEST_CASE("Metadata over the limit is refused, whatever its shape") {
  const auto server = RawServer::greeted();
  SECTION("one large value") {
    const RawFrame answer = answer_to(*server, 1, with(kEcho, "x", std::string(16200, 'x')));
    CHECK(value_of(answer.fields, ":status") == "200");
    CHECK(value_of(answer.fields, "grpc-status") == "8");
  }
  SECTION("many small values") {
    RawFields fields = kEcho;
    for (int i = 0; i < 600; ++i) fields.emplace_back("x" + std::to_string(i), "");
    CHECK(value_of(answer_to(*server, 1, fields).fields, "grpc-status") == "8");
  }
  SECTION("many values of one key, each of which is kept with it") {
    const RawFields fields = with(kEcho, std::string(2000, 'k') + "-bin", std::string(9, ','));
    CHECK(value_of(answer_to(*server, 1, fields).fields, "grpc-status") == "8");
  }
  SECTION("before the content type") {
    RawFields fields = without(kEcho, "content-type");
    fields.emplace_back("x", std::string(16200, 'x'));
    fields.emplace_back("content-type", "application/grpc");
    CHECK(value_of(answer_to(*server, 1, fields).fields, ":status") == "431");
  }
  CHECK(server->service.calls.empty());
  server->client.send_call(3, "/t/Echo", "x");
  CHECK(server->client.receive(3).size() == 3);
}

TEST_CASE("Any encoding but identity is UNIMPLEMENTED, and nothing of the request is read") {
  const auto server = RawServer::greeted();
  std::vector<RawFields> heads;
  for (const char* encoding : {"gzip", "deflate", "snappy", "", "identity,gzip", "Identity"}) {
    heads.push_back(with(kEcho, "grpc-encoding", encoding));
  }
  heads.push_back(with(kEcho, "grpc-encoding", "gzip"));
  heads.back().emplace_back("grpc-encoding", "identity");  // which does not take the first back
  uint32_t stream = 1;
  for (const RawFields& head : heads) {
    CAPTURE(head.back().second);
    server->client.send_fields(stream, head);
    server->client.send(FrameType::kData, kEndStream, stream, message_bytes("compressed", 1));
    const auto frames = server->client.receive(stream);
    REQUIRE_FALSE(frames.empty());
    CHECK((frames[0].flags & kEndStream) != 0);
    CHECK(value_of(frames[0].fields, ":status") == "200");
    CHECK(value_of(frames[0].fields, "grpc-status") == "12");
    CHECK(value_of(frames[0].fields, "grpc-accept-encoding") == "identity");
    CHECK(value_of(frames[0].fields, "grpc-message").find("identity") != std::string::npos);
    stream += 2;
  }
  CHECK(server->service.calls.empty());
  server->client.send_call(stream, "/t/Echo", "x");
  CHECK(server->client.receive(stream).size() == 3);
}

TEST_CASE("A message with the compressed flag and no encoding is INTERNAL by its flag alone") {
  const auto server = RawServer::greeted();
  uint32_t stream = 1;
  for (const RawFields& more : {RawFields{}, RawFields{{"grpc-encoding", "identity"}}}) {
    server->client.send_fields(stream, RawPeer::request_fields("/t/Wait", more));
    // Large enough to wait for memory, if it were waited for.
    server->client.send(FrameType::kData, 0, stream,
                        message_bytes(std::string(1u << 20, 'x'), 1).substr(0, 5));
    const auto frames = server->client.receive(stream);
    REQUIRE_FALSE(frames.empty());
    CHECK((frames[0].flags & kEndStream) != 0);
    CHECK(value_of(frames[0].fields, "grpc-status") == "13");
    CHECK(value_of(frames[0].fields, "grpc-accept-encoding") == "identity");
    CHECK(value_of(frames[0].fields, "grpc-message").find("compressed") != std::string::npos);
    CHECK(server->service.last().messages.empty());
    CHECK(server->service.last().cancels == 1);
    stream += 2;
  }
  CHECK(server->reason.empty());
}

TEST_CASE("Broken messages end the call with a reason") {
  struct Row {
    const char* what;
    std::string data;
    std::string status;
  };
  const std::vector<Row> rows = {
      {"compressed without an encoding", message_bytes("x", 1), "13"},
      {"a flag of its own", message_bytes("x", 7), "13"},
      {"too large", message_bytes("").substr(0, 1) + "\x7f\xff\xff\xff", "8"},
      {"half a prefix", std::string("\0\0", 2), "13"},
      {"half a message", message_bytes("0123456789").substr(0, 10), "13"},
      {"one and a half", message_bytes("whole") + message_bytes("half").substr(0, 6), "13"},
  };
  const auto server = RawServer::greeted();
  uint32_t stream = 1;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    server->client.send_fields(stream, RawPeer::request_fields("/t/Wait"));
    server->client.send(FrameType::kData, kEndStream, stream, row.data);
    const auto frames = server->client.receive(stream);
    REQUIRE(frames.size() == 1);
    CHECK(value_of(frames[0].fields, "grpc-status") == row.status);
    CHECK(value_of(frames[0].fields, "grpc-message") != "<none>");
    CHECK(server->service.last().cancels == 1);
    CHECK_FALSE(server->service.last().half_closed);
    CHECK(server->service.last().handler_destroyed);
    stream += 2;
  }
  CHECK(server->reason.empty());
}

TEST_CASE("Trailers of a request end it and mean nothing else") {
  const auto server = RawServer::greeted();
  server->client.send_fields(1, kEcho);
  server->client.send(FrameType::kData, 0, 1, message_bytes("x"));
  server->client.send_fields(1, {{"grpc-status", "5"}, {"x", "y"}}, kEndHeaders | kEndStream);
  const auto frames = server->client.receive(1);
  REQUIRE(frames.size() == 3);
  CHECK(value_of(frames[2].fields, "grpc-status") == "0");
}
