// The client of a server that has too many requests, and of an administrator who wants few.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>

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
        asking(plain(server.port()), {.limit = limit}) {}

  std::atomic<int> requests = 0;
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

TEST_CASE("One whose turn comes is asked, on the connection that is kept") {
  LimitedAsking limited(200, "", {.per_second = 1000, .burst = 1});
  for (int i = 0; i < 20; ++i) CHECK(limited.asking.ask(patient(kVolume)));
  CHECK(limited.requests == 20);
  CHECK(limited.server.connections() == 1);
}

}  // namespace
}  // namespace longshore::kube
