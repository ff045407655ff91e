// Watches at API servers that answer, fall silent, and break off.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/unit/kube/asking.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using test::Asking;
using test::plain;
using test::ScriptedServer;
using test::ServerSide;
using namespace std::chrono_literals;

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view kEnd = "0\r\n\r\n";

std::string chunk(const std::string& text) {
  char size[20];
  std::snprintf(size, sizeof(size), "%zx\r\n", text.size());
  return size + text + "\r\n";
}

std::string event(const std::string& type, const std::string& name, int version) {
  return R"({"type":")" + type + R"(","object":{"kind":"Node","metadata":{"name":")" + name +
         R"(","resourceVersion":")" + std::to_string(version) + "\"}}}\n";
}

Watch watch_nodes() {
  Watch watch;
  watch.request.path = "/api/v1/nodes";
  watch.request.query = {{"watch", "1"}, {"resourceVersion", "7"}};
  watch.idle_limit = 1h;
  return watch;
}

// What a watch of a server ends with that writes these bytes and closes.
struct Ended {
  std::vector<WatchEvent> events;
  Outcome outcome;
};
Ended watch_answer(const std::string& bytes, size_t max_line_bytes = 1u << 20) {
  ScriptedServer server({}, [&](ServerSide& side) {
    if (!side.read_request().empty()) side.write(bytes);
  });
  Asking asking(plain(server.port()));
  Watch watch = watch_nodes();
  watch.max_line_bytes = max_line_bytes;
  const auto watched = asking.begin_watch(std::move(watch));
  Outcome outcome = asking.end(watched);
  return {*watched.events, std::move(outcome)};
}

TEST_CASE("A watch brings each event when it comes, and ends when the server ends it") {
  std::atomic<int> allowed = 0;
  std::string seen;
  ScriptedServer server({}, [&](ServerSide& side) {
    seen = side.read_request();
    side.write(kHead);
    for (int i = 1; i <= 3; ++i) {
      if (!test::eventually([&] { return allowed >= i; })) return;
      side.write(chunk(event("ADDED", "n" + std::to_string(i), i)));
    }
    side.write(kEnd);
  });
  Asking asking(plain(server.port()));
  const auto watched = asking.begin_watch(watch_nodes());
  for (size_t i = 1; i <= 3; ++i) {
    CHECK(watched.events->size() == i - 1);
    ++allowed;
    asking.run_until([&] { return watched.events->size() == i; });
    CHECK(watched.events->back().object.key == "n" + std::to_string(i));
  }
  CHECK(asking.end(watched));
  CHECK_THAT(seen, Catch::StartsWith("GET /api/v1/nodes?watch=1&resourceVersion=7 HTTP/1.1\r\n"));
}

TEST_CASE("Events come whole, however the bytes are cut, and each has its type") {
  const std::string lines = event("ADDED", "a", 8) + event("MODIFIED", "a", 9) +
                            R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"11"}}})"
                            "\r\n" +
                            event("DELETED", "a", 12);
  std::string answer(kHead);
  SECTION("in one chunk") { answer += chunk(lines) + std::string(kEnd); }
  SECTION("byte by byte") {
    for (const char byte : lines) answer += chunk(std::string(1, byte));
    answer += kEnd;
  }
  SECTION("without a length, and without the last line's end") {
    answer = "HTTP/1.1 200 OK\r\n\r\n" + lines.substr(0, lines.size() - 1);
  }
  const Ended ended = watch_answer(answer);
  CHECK(ended.outcome);
  REQUIRE(ended.events.size() == 4);
  using Type = WatchEvent::Type;
  const Type types[] = {Type::kChanged, Type::kChanged, Type::kBookmark, Type::kDeleted};
  const char* const versions[] = {"8", "9", "11", "12"};
  for (size_t i = 0; i < 4; ++i) {
    CHECK(ended.events[i].type == types[i]);
    CHECK(ended.events[i].object.resource_version == versions[i]);
  }
}

TEST_CASE("A watch that is cut brings what came before, and says so") {
  const std::string first = chunk(event("ADDED", "a", 8));
  const std::string second = chunk(event("ADDED", "b", 9));
  const std::string more = GENERATE_COPY(std::string(), second.substr(0, 30));
  const Ended ended = watch_answer(std::string(kHead) + first + more);
  CHECK(ended.events.size() == 1);
  REQUIRE_FALSE(ended.outcome);
  CHECK(ended.outcome.error().reason() == ApiReason::kNoAnswer);
  CHECK(ended.outcome.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(ended.outcome.error().message(),
             Contains("cannot watch \"/api/v1/nodes\"") && Contains("in the middle of the answer"));
}

TEST_CASE("The server's ERROR ends a watch with what it says") {
  const std::string expired =
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired",)"
      R"("message":"too old resource version: 7"}})";
  const std::string busy =
      R"({"type":"ERROR","object":{"kind":"Status","code":429,"reason":"TooManyRequests",)"
      R"("details":{"retryAfterSeconds":3}}})";
  const std::string first = event("ADDED", "a", 8);
  Ended ended = watch_answer(std::string(kHead) + chunk(first + expired + "\n" + first));
  CHECK(ended.events.size() == 1);
  REQUIRE_FALSE(ended.outcome);
  CHECK(ended.outcome.error().reason() == ApiReason::kExpired);
  CHECK_THAT(ended.outcome.error().message(), Contains("too old resource version: 7"));
  ended = watch_answer(std::string(kHead) + chunk(busy + "\n"));
  REQUIRE_FALSE(ended.outcome);
  CHECK(ended.outcome.error().reason() == ApiReason::kTooManyRequests);
  CHECK(ended.outcome.error().retry_after() == 3s);
}

TEST_CASE("A watch that is refused ends with the answer's meaning, and names the verb watch") {
  const std::string body = R"({"kind":"Status","reason":"Forbidden","message":"no"})";
  const Ended ended = watch_answer("HTTP/1.1 403 Forbidden\r\nRetry-After: 2\r\nContent-Length: " +
                                   std::to_string(body.size()) + "\r\n\r\n" + body);
  REQUIRE_FALSE(ended.outcome);
  CHECK(ended.outcome.error().reason() == ApiReason::kForbidden);
  CHECK(ended.outcome.error().retry_after() == 2s);
  CHECK_THAT(ended.outcome.error().message(), Contains("the verb watch on the resource nodes"));
}

TEST_CASE("What is no event ends a watch as damaged, and what is too long as too long") {
  for (const std::string line : {"<html>", "{}", "[]", "\n", R"({"type":"ADDED"})",
                                 R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})",
                                 R"({"type":"ADDED","object":{"metadata":{)"}) {
    INFO(line);
    const Ended ended = watch_answer(std::string(kHead) + chunk(line + "\n") + std::string(kEnd));
    REQUIRE_FALSE(ended.outcome);
    CHECK(ended.outcome.error().code() == StatusCode::kDataLoss);
    CHECK(ended.outcome.error().reason() == ApiReason::kNoAnswer);
  }
  const std::string line = event("ADDED", "a", 8);
  CHECK(
      watch_answer(std::string(kHead) + chunk(line) + std::string(kEnd), line.size() - 1).outcome);
  for (const std::string& text : {line, std::string(100'000, 'x')}) {
    const Ended ended = watch_answer(std::string(kHead) + chunk(text), line.size() - 2);
    REQUIRE_FALSE(ended.outcome);
    CHECK(ended.outcome.error().code() == StatusCode::kResourceExhausted);
    CHECK_THAT(ended.outcome.error().message(), Contains("a line of the answer is longer than"));
  }
}

TEST_CASE("A watch is cancelled while it waits, and by its own event, behind which none comes") {
  ScriptedServer server({}, [](ServerSide& side) {
    side.read_request();
    side.write(kHead);
    side.write(chunk(event("ADDED", "a", 8) + event("ADDED", "b", 9)));
    side.wait_for_end();
  });
  Asking asking(plain(server.port()));
  const bool is_inside = GENERATE(false, true);
  Asking::Watched watched;
  watched = asking.begin_watch(watch_nodes(), [&] {
    if (is_inside) watched.call->cancel();
  });
  asking.run_until([&] { return watched.events->size() == (is_inside ? 1 : 2); });
  if (!is_inside) watched.call->cancel();
  const Outcome outcome = asking.end(watched);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code() == StatusCode::kCancelled);
  CHECK(watched.events->size() == (is_inside ? 1 : 2));
  CHECK(test::eventually([&] { return server.closed() == 1; }));
}

TEST_CASE("A watch ends when the server says nothing for too long, before its head or behind") {
  const bool has_head = GENERATE(false, true);
  ScriptedServer server({}, [&](ServerSide& side) {
    side.read_request();
    if (has_head) side.write(kHead);
    side.wait_for_end();
  });
  Asking asking(plain(server.port()));
  Watch watch = watch_nodes();
  watch.idle_limit = 1ms;
  if (!has_head) watch.request.deadline = std::chrono::steady_clock::now() + 100ms;
  const Outcome outcome = asking.end(asking.begin_watch(std::move(watch)));
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code() == StatusCode::kDeadlineExceeded);
  CHECK_THAT(outcome.error().message(),
             Contains(has_head ? "the server has said nothing" : "there was no answer in time"));
}

TEST_CASE("Watches take no connection from requests, and end with their client") {
  ScriptedServer server({}, [](ServerSide& side) {
    if (side.read_request().find("watch=1") == std::string::npos) return side.answer(200, "{}");
    side.write(std::string(kHead) + chunk(event("ADDED", "a", 8)));
    side.wait_for_end();
  });
  Asking asking(plain(server.port()), ClientOptions{1});
  const auto one = asking.begin_watch(watch_nodes());
  const auto other = asking.begin_watch(watch_nodes());
  asking.run_until([&] { return one.events->size() == 1 && other.events->size() == 1; });
  CHECK(asking.get("/version"));
  asking.end_client();
  for (const auto& each : {one, other}) {
    const Outcome outcome = asking.end(each);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code() == StatusCode::kCancelled);
  }
}

}  // namespace
}  // namespace longshore::kube
