#include "observe/call_metrics.h"

#include <catch2/catch.hpp>
#include <thread>

namespace longshore::observe {
namespace {

using namespace std::chrono_literals;

TEST_CASE("Calls are counted by outcome, with their time") {
  MethodMetrics method("v1.Disk", "Rescan", false);
  for (int i = 0; i < 4; ++i) method.started();
  method.message_sent();
  method.handled(StatusCode::kOk, 250ms);
  method.handled(StatusCode::kNotFound, 500ms);
  method.handled(StatusCode::kNotFound, 0ns);
  const MethodMetrics::Figures figures = method.figures();
  CHECK(figures.started == 4);
  CHECK(figures.handled == 3);
  CHECK(figures.failed == 2);
  CHECK(figures.seconds == Approx(0.75));
  const MethodMetrics::Snapshot snapshot = method.snapshot();
  CHECK(snapshot.sent == 1);
  CHECK(snapshot.handled[0] == 1);
  CHECK(snapshot.handled[static_cast<size_t>(StatusCode::kNotFound)] == 2);
}

TEST_CASE("A time belongs to the bucket whose end it does not pass") {
  const auto bucket_of = [](std::chrono::nanoseconds elapsed) {
    MethodMetrics method("s", "m", false);
    method.handled(StatusCode::kOk, elapsed);
    const auto buckets = method.snapshot().buckets;
    return std::find(buckets.begin(), buckets.end(), 1u) - buckets.begin();
  };
  CHECK(bucket_of(-1ns) == 0);
  CHECK(bucket_of(0ns) == 0);
  CHECK(bucket_of(1ms) == 0);
  CHECK(bucket_of(1ms + 1ns) == 1);
  CHECK(bucket_of(120s) == 13);
  CHECK(bucket_of(120s + 1ns) == 14);
  CHECK(bucket_of(std::chrono::hours(100'000)) == 14);
}

TEST_CASE("A status that gRPC does not know counts as unknown") {
  MethodMetrics method("s", "m", false);
  for (const int code : {17, 1000, -1}) method.handled(static_cast<StatusCode>(code), 1ms);
  CHECK(method.snapshot().handled[static_cast<size_t>(StatusCode::kUnknown)] == 3);
  CHECK(method.figures().handled == 3);
}

TEST_CASE("A method keeps its figures however often it is asked for") {
  CallMetrics metrics;
  metrics.of("v1.Disk", "Rescan", false)->started();
  metrics.of("v1.Disk", "Rescan", false)->started();
  metrics.of("v1.Disk", "ListDiskIDs", false)->started();
  CHECK(metrics.of("v1.Disk", "Rescan", false)->figures().started == 2);
  // A module's new version may stream what was one message before: another series.
  CHECK(metrics.of("v1.Disk", "Rescan", true)->figures().started == 0);
  const auto all = metrics.all();
  REQUIRE(all.size() == 3);
  CHECK(all[0]->method() == "ListDiskIDs");
  CHECK(all[1]->method() == "Rescan");
}

TEST_CASE("No call is lost among threads, and none is handled that has not started") {
  constexpr int kThreads = 4;
  constexpr int kCalls = 20'000;
  CallMetrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      const auto method = metrics.of("v1.Disk", "Rescan", false);
      for (int i = 0; i < kCalls; ++i) {
        method->started();
        method->handled(StatusCode::kOk, 1us);
      }
    });
  }
  const auto method = metrics.of("v1.Disk", "Rescan", false);
  bool in_order = true;
  while (method->figures().handled < kThreads * kCalls) {
    const auto figures = method->figures();
    in_order = in_order && figures.handled <= figures.started;
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(in_order);
  CHECK(method->figures().started == kThreads * kCalls);
  CHECK(method->figures().seconds == Approx(kThreads * kCalls / 1e6));
}

}  // namespace
}  // namespace longshore::observe
