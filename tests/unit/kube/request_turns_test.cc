// The line before an API server, by a clock of the test's.
#include "kube/request_turns.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kube/request_limits.h"
#include "tests/unit/kube/manual_access.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Place = std::unique_ptr<RequestTurns::Place>;

struct Line {
  explicit Line(RequestLimit limit) : turns(timing, limit, &figures) {}

  // Somebody who is in the line, or whose turn it is already.
  Place wait(const std::string& name, std::chrono::nanoseconds patience = seconds(60)) {
    auto place = turns.wait(patience, [this, name] { order.push_back(name); });
    REQUIRE(place);
    if (!*place) order.push_back(name + " at once");
    return *std::move(place);
  }
  std::string refusal(std::chrono::nanoseconds patience) {
    const auto place = turns.wait(patience, [] { FAIL("it has no place"); });
    REQUIRE_FALSE(place);
    CHECK(place.error().code() == StatusCode::kResourceExhausted);
    return place.error().message();
  }

  test::ManualTiming timing;
  observe::KubeRateFigures figures;
  RequestTurns turns;
  std::vector<std::string> order;
};

using Order = std::vector<std::string>;

TEST_CASE("the line and its rate can be looked at while they change") {
  Line line({});
  CHECK(line.figures.per_second == 0);
  for (int i = 0; i < 20; ++i) line.wait("at once");
  CHECK(line.figures.per_second == 20);
  CHECK(line.figures.waiting == 0);
  Place first = line.wait("a");
  const Place second = line.wait("b");
  CHECK(line.figures.waiting == 2);
  first.reset();
  CHECK(line.figures.waiting == 1);
  line.timing.advance(seconds(1));
  CHECK(line.figures.waiting == 0);
  line.turns.answered({.status = 429});
  CHECK(line.figures.per_second == 10);
}

TEST_CASE("who came first goes first, as the rate allows, and who lets go leaves the line") {
  Line line({.per_second = 10, .burst = 1});
  const Place first = line.wait("a");
  const Place second = line.wait("b");
  Place third = line.wait("c");
  const Place fourth = line.wait("d");
  CHECK(line.order == Order{"a at once"});
  line.timing.advance(milliseconds(101));
  CHECK(line.order == Order{"a at once", "b"});
  CHECK(line.figures.last_wait.load() >= milliseconds(100));
  third.reset();
  line.timing.advance(milliseconds(101));
  CHECK(line.order == Order{"a at once", "b", "d"});
  line.timing.advance(seconds(10));
  CHECK(line.order.size() == 3);
  CHECK(line.timing.waiting().empty());
  const Place late = line.wait("e");
  CHECK(line.order.back() == "e at once");
  CHECK(line.figures.last_wait.load() == milliseconds(0));
}

TEST_CASE("whose turn would come too late is told so at once") {
  Line line({.per_second = 2, .burst = 1});
  const Place first = line.wait("a");
  const Place second = line.wait("b", milliseconds(501));
  CHECK_THAT(line.refusal(seconds(1)),
             Contains("requests to the API server are limited to 2 a second, and 1 wait before it: "
                      "its turn would come in 1 s") &&
                 Contains("raise agent.kube.api_qps"));
  // Its place is nobody's.
  const Place third = line.wait("c", milliseconds(1001));
  line.timing.advance(milliseconds(1002));
  CHECK(line.order == Order{"a at once", "b", "c"});
}

TEST_CASE("those who wait go by the rate that the answers make") {
  Line line({});
  std::vector<Place> places;
  for (int i = 0; i < 100; ++i) places.push_back(line.wait("one"));
  CHECK(line.order.size() == 20);
  const auto answer = [&](const RequestAnswer& answered) { line.turns.answered(answered); };

  SECTION("more where the server does well") {
    line.timing.advance(milliseconds(500));
    answer({.status = 200, .has_priority_level = true});
    line.timing.advance(milliseconds(502));
    CHECK(line.order.size() == 40);
    CHECK_THAT(line.turns.limit_text(), Contains("limited to 40 a second by what it answers"));
    line.timing.advance(seconds(1));
    CHECK(line.order.size() == 80);
  }
  SECTION("none for as long as the server says, and half as many then") {
    answer({.status = 429, .retry_after = seconds(5)});
    line.timing.advance(seconds(5));
    CHECK(line.order.size() == 20);
    line.timing.advance(milliseconds(1002));
    CHECK(line.order.size() == 30);
    const std::string refusal = line.refusal(seconds(6));
    CHECK_THAT(refusal, Contains("limited to 10 a second by what it answers, and 70 wait"));
    CHECK_THAT(refusal, !Contains("raise"));
  }
}

TEST_CASE("leases and events have rates of their own, and none is lost because of others") {
  test::ManualTiming timing;
  RequestLimits limits(timing, {.per_second = 0.1, .burst = 1});
  const auto may_ask = [&](const std::string& path) {
    return limits.turns(path).wait(seconds(1), [] {}).ok();
  };
  const std::string lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a";
  const std::string event = GENERATE("/api/v1/namespaces/default/events",
                                     "/apis/events.k8s.io/v1/namespaces/default/events/e");
  CHECK(may_ask("/api/v1/persistentvolumes"));
  CHECK_FALSE(may_ask("/apis/storage.k8s.io/v1/volumeattachments/va"));
  CHECK_FALSE(may_ask("/version"));
  CHECK_FALSE(may_ask("/apis/example.com/v1/leases/a"));
  CHECK(may_ask(event));
  CHECK_FALSE(may_ask(event));
  for (int i = 0; i < 10; ++i) {
    CHECK(may_ask(lease));
    limits.turns(lease).answered({.status = 429, .retry_after = seconds(30)});
  }
  CHECK(may_ask(lease));
}

}  // namespace
}  // namespace longshore::kube
