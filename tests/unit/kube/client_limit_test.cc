// The client of a server that has too many requests, and of an administrator who wants few.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/unit/kube/asking.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using std::chrono::seconds;
using test::Asking;
using test::plain;
using test::ScriptedServer;
using test::ServerSide;

constexpr const char* kVolume = "/api/v1/persistentvolumes/pv";
constexpr const char* kLease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a";

Request patient(const std::string& path, seconds patience = seconds(20)) {
  Request request;
  request.path = path;
  request.deadline = std::chrono::steady_clock::now() + patience;
  return request;
}

// Whose answer to all but leases is the same.
struct LimitedAsking {
  LimitedAsking(int status, const std::string& headers, RequestLimit limit)
      : server({}, ScriptedServer::answering(
                       [this, status, headers](ServerSide& side, const std::string& request) {
                         ++requests;
                         const bool is_lease = request.find("/leases/") != request.npos;
                         side.answer(is_lease ? 200 : status, "{}", is_lease ? "" : headers);
                       })),
        asking(plain(server.port()), {.limit = limit, .metrics = metrics}) {}

  // "GET 200 1": the requests of each method and status.
  std::vector<std::string> counted() const {
    std::vector<std::string> all;
    for (const auto& each : metrics->report().requests) {
      CHECK(each.host == "127.0.0.1:" + std::to_string(server.port()));
      all.push_back(each.method + ' ' + std::to_string(each.status) + ' ' +
                    std::to_string(each.count));
    }
    return all;
  }

  std::atomic<int> requests = 0;
  const std::shared_ptr<observe::KubeRequestMetrics> metrics =
      std::make_shared<observe::KubeRequestMetrics>();
  ScriptedServer server;
  Asking asking;
};

TEST_CASE("After a 429 nothing is asked for as long as the server says, but leases are") {
  LimitedAsking limited(429, "Retry-After: 30\r\n", {});
  const Outcome first = limited.asking.ask(patient(kVolume));
  REQUIRE_FALSE(first);
  CHECK(first.error().http_status() == 429);

  const Outcome refused = limited.asking.ask(patient(kVolume));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kResourceExhausted);
  CHECK(refused.error().reason() == ApiReason::kTooManyRequests);
  CHECK_THAT(refused.error().message(),
             Contains("cannot get \"/api/v1/persistentvolumes/pv\"") &&
                 Contains("limited to 10 a second by what it answers, and 0 wait before it"));
  Watch watch;
  watch.request = patient("/api/v1/persistentvolumes");
  const Outcome unwatched = limited.asking.end(limited.asking.begin_watch(std::move(watch)));
  REQUIRE_FALSE(unwatched);
  CHECK(unwatched.error().reason() == ApiReason::kTooManyRequests);
  CHECK(limited.requests == 1);

  CHECK(limited.asking.ask(patient(kLease)));
  CHECK(limited.requests == 2);
}

TEST_CASE(
    "One that waits for its turn is cancelled, and tells what it waited for when it is late") {
  LimitedAsking limited(200, "", {.per_second = 0.02, .burst = 1});
  CHECK(limited.asking.ask(patient(kVolume)));
  const auto waiting = limited.asking.begin(patient(kVolume, seconds(120)));
  limited.asking.run_ready();
  CHECK_FALSE(waiting.outcome->has_value());
  // Those behind it are told at once.
  const Outcome refused = limited.asking.ask(patient(kVolume, seconds(90)));
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Contains("and 1 wait before it"));
  waiting.call->cancel();
  const Outcome cancelled = limited.asking.end(waiting);
  REQUIRE_FALSE(cancelled);
  CHECK(cancelled.error().code() == StatusCode::kCancelled);
  CHECK(limited.requests == 1);
}

using Counted = std::vector<std::string>;

TEST_CASE("Requests are counted by their answers, watches among them, and so are their waits") {
  LimitedAsking limited(404, "", {.per_second = 1000, .burst = 1});
  for (int i = 0; i < 3; ++i) CHECK_FALSE(limited.asking.ask(patient(kVolume)));
  Request patch = patient(kLease);
  patch.method = Method::kPatch;
  CHECK(limited.asking.ask(std::move(patch)));
  Watch watch;
  watch.request = patient("/api/v1/persistentvolumes");
  CHECK_FALSE(limited.asking.end(limited.asking.begin_watch(std::move(watch))));
  CHECK(limited.counted() == Counted{"GET 404 4", "PATCH 200 1"});
  const observe::KubeRequestReport report = limited.metrics->report();
  REQUIRE(report.waits.size() == 2);
  CHECK(report.waits[0].method == "GET");
  CHECK(std::accumulate(report.waits[0].buckets.begin(), report.waits[0].buckets.end(), 0) == 4);
  REQUIRE(report.rates.size() == 2);
  CHECK(report.rates[0].limit == "objects");
  CHECK(report.rates[0].per_second == 1000);
  CHECK(report.rates[0].waiting == 0);
}

TEST_CASE("What the server does not answer is counted once, and what it never hears is not") {
  const auto metrics = std::make_shared<observe::KubeRequestMetrics>();
  ScriptedServer server({}, [](ServerSide& side) { side.read_request(); });
  Asking asking(plain(server.port()), {.metrics = metrics});
  Request forbidden = patient(kVolume);
  forbidden.permit = [] { return Error::of_text(StatusCode::kUnavailable, "no lease"); };
  CHECK_FALSE(asking.ask(std::move(forbidden)));
  Request odd;
  odd.path = "no path";
  CHECK_FALSE(asking.ask(std::move(odd)));
  CHECK(metrics->report().requests.empty());
  CHECK_FALSE(asking.ask(patient(kVolume)));
  REQUIRE(metrics->report().requests.size() == 1);
  CHECK(metrics->report().requests[0].status == observe::KubeRequestMetrics::kNoAnswer);
  CHECK(metrics->report().requests[0].count == 1);
  CHECK(metrics->report().waits.empty());
}

TEST_CASE("One whose turn comes is asked, on the connection that is kept") {
  LimitedAsking limited(200, "", {.per_second = 1000, .burst = 1});
  for (int i = 0; i < 20; ++i) CHECK(limited.asking.ask(patient(kVolume)));
  CHECK(limited.requests == 20);
  CHECK(limited.server.connections() == 1);
}

}  // namespace
}  // namespace longshore::kube
