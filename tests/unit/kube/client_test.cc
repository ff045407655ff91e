// Requests to API servers that answer, and to such as answer badly.
#include "kube/client.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "tests/support/temporary_directory.h"
#include "tests/unit/kube/asking.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using test::Asking;
using test::plain;
using test::ScriptedServer;
using test::ServerSide;

// What the server of a script that writes these bytes and closes is answered with.
ApiError error_of_answer(const std::string& bytes, size_t max_bytes = 1u << 20) {
  ScriptedServer server({}, [&](ServerSide& side) {
    if (!side.read_request().empty()) side.write(bytes);
  });
  Asking asking(plain(server.port()));
  Request request;
  request.path = "/version";
  request.max_response_bytes = max_bytes;
  const Outcome outcome = asking.ask(std::move(request));
  REQUIRE_FALSE(outcome);
  return outcome.error();
}

TEST_CASE("A request has its method, path, query, headers and body, and the answer comes whole") {
  std::string seen;
  ScriptedServer server({}, ScriptedServer::answering([&](ServerSide& side, const auto& request) {
                          seen = request;
                          side.answer(201, "{\"made\": true}",
                                      "Content-Type: application/json\r\nRetry-After: 7\r\n");
                        }));
  Configuration configuration = plain(server.port());
  configuration.server.path = "/clusters/a";
  configuration.token = Secret::copy_of("abc");
  Asking asking(std::move(configuration));
  Request request;
  request.method = Method::kPatch;
  request.path = "/api/v1/nodes/n";
  request.query = {{"fieldManager", "a b&c"}, {"dryRun", ""}};
  request.body = "{}";
  request.content_type = "application/merge-patch+json";
  Outcome outcome = asking.ask(std::move(request));
  REQUIRE(outcome);
  CHECK(outcome.response().status == 201);
  CHECK(outcome.response().content_type == "application/json");
  CHECK(outcome.response().retry_after == std::chrono::seconds(7));
  CHECK(outcome.response().body == "{\"made\": true}");
  CHECK_THAT(seen, Catch::StartsWith("PATCH /clusters/a/api/v1/nodes/n?fieldManager=a%20b%26c&"
                                     "dryRun= HTTP/1.1\r\n"));
  CHECK_THAT(seen, Contains("Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"));
  CHECK_THAT(seen, Contains("Authorization: Bearer abc\r\n"));
  CHECK_THAT(seen, Contains("Content-Type: application/merge-patch+json\r\n"));
  CHECK_THAT(seen, Catch::EndsWith("\r\n\r\n{}"));
}

TEST_CASE("Requests one after the other share a connection, and those at once have their own") {
  ScriptedServer server({}, ScriptedServer::answering([](ServerSide& side, const auto&) {
                          side.answer(200, std::to_string(side.number()));
                        }));
  Asking asking(plain(server.port()), ClientOptions{2});
  for (int i = 0; i < 10; ++i) {
    Outcome outcome = asking.get("/version");
    REQUIRE(outcome);
    CHECK(outcome.response().body == "1");
  }
  std::vector<Asking::Asked> all;
  for (int i = 0; i < 10; ++i) all.push_back(asking.begin_get("/version"));
  for (const auto& each : all) CHECK(asking.end(each));
  CHECK(server.connections() == 2);
}

TEST_CASE("An answer that comes in chunks, byte by byte, is read to its end") {
  ScriptedServer server(
      {}, ScriptedServer::answering([](ServerSide& side, const auto&) {
        for (const char byte : std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                           "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n")) {
          side.write({&byte, 1});
        }
      }));
  Asking asking(plain(server.port()));
  for (int i = 0; i < 2; ++i) {
    Outcome outcome = asking.get("/version");
    REQUIRE(outcome);
    CHECK(outcome.response().body == "hello!");
  }
  CHECK(server.connections() == 1);
}

TEST_CASE("A server that answers and says that it closes is not asked on that connection again") {
  ScriptedServer server({}, ScriptedServer::answering([](ServerSide& side, const auto&) {
                          side.answer(200, "", "Connection: close\r\n");
                        }));
  Asking asking(plain(server.port()));
  CHECK(asking.get("/version"));
  CHECK(asking.get("/version"));
  CHECK(server.connections() == 2);
}

TEST_CASE("A kept connection that the server has closed is replaced, for a POST too") {
  ScriptedServer server({}, [&](ServerSide& side) {
    side.read_request();
    side.answer(200, "");
  });
  Asking asking(plain(server.port()));
  REQUIRE(asking.get("/version"));
  // Both are on this node: what was sent has arrived.
  REQUIRE(test::eventually([&] { return server.closed() == 1; }));
  Request request;
  request.method = Method::kPost;
  request.path = "/api/v1/nodes";
  request.body = "{}";
  CHECK(asking.ask(std::move(request)));
  CHECK(server.connections() == 2);
}

TEST_CASE("A GET that a kept connection swallows is made again, once, and a POST is not") {
  // The first connection answers one request; the later ones none, or each.
  const bool answers_later = GENERATE(true, false);
  std::atomic<int> requests = 0;
  ScriptedServer server({}, [&](ServerSide& side) {
    for (int i = 0; !side.read_request().empty(); ++i) {
      ++requests;
      if (side.number() == 1 ? i > 0 : !answers_later) return;
      side.answer(200, "");
    }
  });
  Asking asking(plain(server.port()));
  REQUIRE(asking.get("/version"));
  SECTION("GET") {
    const Outcome outcome = asking.get("/version");
    CHECK(bool(outcome) == answers_later);
    CHECK(requests == 3);
  }
  SECTION("POST") {
    Request request;
    request.method = Method::kPost;
    request.path = "/api/v1/nodes";
    const Outcome outcome = asking.ask(std::move(request));
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code() == StatusCode::kUnavailable);
    CHECK(outcome.error().reason() == ApiReason::kNoAnswer);
    CHECK(requests == 2);
  }
}

TEST_CASE("An answer that ends in the middle is none") {
  for (const char* cut :
       {"HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"}) {
    INFO(cut);
    const ApiError error = error_of_answer(cut);
    CHECK(error.code() == StatusCode::kUnavailable);
    CHECK(error.http_status() == 0);
    CHECK_THAT(error.message(), Contains("ended in the middle of the answer"));
  }
  CHECK_THAT(error_of_answer("").message(), Contains("closed the connection without an answer"));
}

TEST_CASE("An answer that is too long is refused, whether it says so or not") {
  const std::string body(3u << 20, 'x');
  const std::string sized = "HTTP/1.1 200 OK\r\nContent-Length: 3145728\r\n\r\n" + body;
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n300000\r\n" + body + "\r\n0\r\n\r\n";
  for (const std::string& answer : {sized, chunked}) {
    const ApiError error = error_of_answer(answer);
    CHECK(error.code() == StatusCode::kResourceExhausted);
    CHECK_THAT(error.message(), Contains("the answer is longer than 1 MiB"));
  }
  CHECK_THAT(error_of_answer("HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x')).message(),
             Contains("longer than 64 KiB"));
}

TEST_CASE("What is no HTTP is told, with what may answer there") {
  const ApiError error = error_of_answer(std::string("\x15\x03\x01\x00\x02\x02\x46", 7));
  CHECK_THAT(error.message(), Contains("what it answers is not HTTP") && Contains("https://"));
  const ApiError of_go = error_of_answer(
      "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
  CHECK_THAT(of_go.message(),
             Contains("it speaks TLS; write the server with https:// in the test"));
}

TEST_CASE("A token is read for each request, and one that is refused is told without it") {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "token", "first");
  std::vector<std::string> seen;
  ScriptedServer server({}, ScriptedServer::answering([&](ServerSide& side, const auto& request) {
                          seen.push_back(request);
                          const bool is_known = request.find("Bearer second") != std::string::npos;
                          side.answer(is_known ? 200 : 401,
                                      is_known ? "{}"
                                               : "{\"kind\":\"Status\",\"reason\":\"Unauthorized\","
                                                 "\"message\":\"Unauthorized\"}");
                        }));
  Configuration configuration = plain(server.port());
  configuration.token_file = directory / "token";
  Asking asking(std::move(configuration));
  const Outcome outcome = asking.get("/version");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().reason() == ApiReason::kUnauthorized);
  CHECK(outcome.error().code() == StatusCode::kUnauthenticated);
  CHECK_THAT(outcome.error().message(), Contains("the token in \"" + directory / "token") &&
                                            Contains("has expired") && !Contains("first"));
  test::write_file(directory / "token", "second\n");
  CHECK(asking.get("/version"));
}

TEST_CASE("Nobody at the port, and a name that nobody knows, are told") {
  uint16_t port = 0;
  {
    const ScriptedServer gone({}, [](ServerSide&) {});
    port = gone.port();
  }
  Asking refused(plain(port));
  Outcome outcome = refused.get("/version");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(outcome.error().message(),
             Contains("127.0.0.1:" + std::to_string(port) + "\": Connection refused"));
  Configuration configuration = plain(port);
  configuration.server.host = std::string(64, 'x') + ".invalid";  // no name has so long a part
  Asking unknown(std::move(configuration));
  outcome = unknown.get("/version");
  REQUIRE_FALSE(outcome);
  CHECK_THAT(outcome.error().message(), Contains("cannot find the address of \"xxxx") &&
                                            Contains("check the server in the test"));
}

TEST_CASE("A name with several addresses is tried at each") {
  ScriptedServer server(
      {}, ScriptedServer::answering([](ServerSide& side, const auto&) { side.answer(200, ""); }));
  Configuration configuration = plain(server.port());
  configuration.server.host = "localhost";  // maybe ::1 first, where nobody listens
  Asking asking(std::move(configuration));
  CHECK(asking.get("/version"));
}

TEST_CASE("What is no path is not asked for") {
  Asking asking(plain(1));
  for (const char* bad : {"", "version", "/a b", "/a\r\nHost: b", "/a?b", "/\x80"}) {
    const Outcome outcome = asking.get(bad);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code() == StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace longshore::kube
