// What modules say that they count, as far as it can be told.
#include "core/collected_metrics.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "longshore/module/metrics.pb.h"
#include "tests/support/eventually.h"
#include "tests/unit/core/answering_modules.h"

namespace longshore::core {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

constexpr const char* kCollect = "longshore.module.v1.Metrics/Collect";

std::string response_of(const Names& queues) {
  module::v1::CollectMetricsResponse response;
  for (const std::string& name : queues) response.add_work_queues()->set_name(name);
  return response.SerializeAsString();
}

Names names_of(const std::vector<observe::WorkQueueSeries>& all) {
  Names names;
  for (const auto& each : all) names.push_back(each.module + '/' + each.name);
  return names;
}

// An agent with modules that count.
struct Library : AnsweringModules {
  void add(const std::string& name, const AnsweringCode::Answer& answer, bool has_metrics = true) {
    loader::ModuleDescription description;
    if (has_metrics) description.metrics.emplace().full_name = kCollect;
    AnsweringModules::add(name, answer, std::move(description));
  }
};

TEST_CASE_METHOD(Library, "Queues of all modules are collected, but of those that say nothing") {
  add("a", answers(response_of({"shelves", "books"})));
  add("refuses", [](const longshore_host* host, longshore_call call) {
    host->finish(host, call, 13, {"no", 2});
  });
  add("silent", [](const longshore_host*, longshore_call) {});
  add("empty", answers({}));
  add("without", answers(response_of({"never asked"})), false);
  entries.emplace_back().settings.name = "failed";
  entries.back().failure = "no array";
  add("b", answers(response_of({"shelves"})));
  // On a busy machine the time that one who is silent is given may be too short for the others.
  CHECK(test::eventually([&] {
    return names_of(collected_work_queues(entries, 200ms)) ==
           Names{"a/shelves", "a/books", "b/shelves"};
  }));
}

TEST_CASE("What a module says of a queue is told as it is") {
  module::v1::CollectMetricsResponse response;
  auto& queue = *response.add_work_queues();
  queue.set_name("shelves");
  queue.set_depth(1);
  queue.set_adds(2);
  queue.set_retries(3);
  for (uint64_t i = 0; i < 11; ++i) queue.mutable_waited()->add_buckets(i);
  queue.mutable_waited()->set_seconds(4.5);
  queue.mutable_worked()->add_buckets(7);
  queue.set_unfinished_seconds(5.5);
  queue.set_longest_running_seconds(6.5);
  queue.set_running(8);
  queue.set_delayed(9);
  queue.set_oldest_seconds(7.5);
  const auto all = work_queues_of("shelf", response.SerializeAsString());
  REQUIRE(names_of(all) == Names{"shelf/shelves"});
  const observe::WorkQueueSeries& series = all.front();
  CHECK(series.depth == 1);
  CHECK(series.adds == 2);
  CHECK(series.retries == 3);
  CHECK(series.waited.buckets == std::array<uint64_t, 11>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(series.waited.seconds == 4.5);
  CHECK(series.worked.buckets == std::array<uint64_t, 11>{7});
  CHECK(series.unfinished_seconds == 5.5);
  CHECK(series.longest_running_seconds == 6.5);
  CHECK(series.running == 8);
  CHECK(series.delayed == 9);
  CHECK(series.oldest_seconds == 7.5);
}

TEST_CASE("No answer of a module's spoils the page") {
  CHECK(work_queues_of("m", "\xff\xff").empty());
  CHECK(names_of(work_queues_of("m", response_of({"a", "a", "b"}))) == Names{"m/a", "m/b"});
  const std::string longest(kMaxWorkQueueNameBytes, 'x');
  CHECK(names_of(work_queues_of("m", response_of({longest + 'x', longest}))) ==
        Names{"m/" + longest});
  Names many;
  for (size_t i = 0; i <= kMaxWorkQueues; ++i) many.push_back(std::to_string(i));
  CHECK(work_queues_of("m", response_of(many)).size() == kMaxWorkQueues);

  module::v1::CollectMetricsResponse odd;
  auto& queue = *odd.add_work_queues();
  for (int i = 0; i < 100; ++i) queue.mutable_worked()->add_buckets(1);
  queue.mutable_worked()->set_seconds(std::numeric_limits<double>::infinity());
  queue.set_unfinished_seconds(-1);
  queue.set_oldest_seconds(-1);
  queue.set_longest_running_seconds(std::numeric_limits<double>::quiet_NaN());
  const auto all = work_queues_of("m", odd.SerializeAsString());
  REQUIRE(all.size() == 1);
  CHECK(all.front().worked.buckets.back() == 1);
  CHECK(all.front().worked.seconds == 0);
  CHECK(all.front().unfinished_seconds == 0);
  CHECK(all.front().longest_running_seconds == 0);
  CHECK(all.front().oldest_seconds == 0);
}

}  // namespace
}  // namespace longshore::core
