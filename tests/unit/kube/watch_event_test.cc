// Lines of watches: the server's errors, and what is no event. Good ones: client_watch_test.cc.
#include "kube/watch_event.h"

#include <catch2/catch.hpp>
#include <string>

namespace longshore::kube {
namespace {

Response error_of(const std::string& status) {
  const auto parsed = parse_watch_event(R"({"type":"ERROR","object":)" + status + "}");
  REQUIRE(parsed);
  const auto* const answer = std::get_if<Response>(&*parsed);
  REQUIRE(answer);
  CHECK(answer->body == status);
  return *answer;
}

TEST_CASE("An ERROR is an answer of its code, and of 500 where it has none") {
  using namespace std::chrono_literals;
  const Response busy =
      error_of(R"({"kind":"Status","code":429,"details":{"retryAfterSeconds":7}})");
  CHECK(busy.status == 429);
  CHECK(busy.retry_after == 7s);
  for (const std::string status :
       {"{}", "null", R"("text")", R"({"code":"410"})", R"({"code":-1})", R"({"code":4.1e2})",
        R"({"code":99999999999999999999,"details":{"retryAfterSeconds":0}})"}) {
    INFO(status);
    CHECK(error_of(status).status == 500);
    CHECK_FALSE(error_of(status).retry_after);
  }
}

TEST_CASE("A bookmark needs a version, and nothing else") {
  CHECK(parse_watch_event(
      R"({"type":"BOOKMARK","object":{"metadata":{"name":"","resourceVersion":"5"}}})"));
  for (const std::string object :
       {"{}", R"({"metadata":{}})", R"({"metadata":{"resourceVersion":""}})", "null", "[]"}) {
    CHECK_FALSE(parse_watch_event(R"({"type":"BOOKMARK","object":)" + object + "}"));
  }
}

TEST_CASE("An event of a type that nobody knows is no event") {
  for (const std::string type : {R"("added")", R"("")", "7", "null"}) {
    const auto parsed = parse_watch_event(
        "{\"type\":" + type + R"(,"object":{"metadata":{"name":"a","resourceVersion":"5"}}})");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code() == StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace longshore::kube
