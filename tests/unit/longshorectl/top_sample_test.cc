#include "tools/longshorectl/top_sample.h"

#include <catch2/catch.hpp>

namespace longshore::ctl {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using Figures = admin::v1::GetCallFiguresResponse;

struct Counts {
  int64_t total;
  int64_t failed;
  int64_t timed;
  int64_t timed_us;
};

Figures reading(int64_t uptime_us, Counts counts) {
  Figures figures;
  figures.set_uptime_us(uptime_us);
  auto* each = figures.add_figures();
  each->set_module("disk");
  each->set_state("serving");
  each->set_total(counts.total);
  each->set_failed(counts.failed);
  each->set_timed(counts.timed);
  each->set_timed_us(counts.timed_us);
  each->set_running(2);
  each->set_waiting(3);
  each->set_stuck(1);
  return figures;
}

TEST_CASE("rates are of the time between two readings") {
  const auto sample = sample_between(reading(1'000'000, {100, 10, 90, 9'000}),
                                     reading(3'000'000, {150, 12, 100, 29'000}));
  CHECK(sample.seconds() == Approx(2));
  REQUIRE(sample.rows_size() == 1);
  CHECK(sample.rows(0).calls_per_second() == Approx(25));
  CHECK(sample.rows(0).failed_per_second() == Approx(1));
  CHECK(sample.rows(0).mean_ms() == Approx(2));
  CHECK(sample.rows(0).running() == 2);
  CHECK(sample.rows(0).waiting() == 3);
  CHECK(sample.rows(0).stuck() == 1);
}

TEST_CASE("an agent that started anew counts from zero") {
  const auto sample = sample_between(reading(9'000'000, {100, 10, 90, 9'000}),
                                     reading(500'000, {200, 5, 100, 100}));
  CHECK(sample.seconds() == Approx(0.5));
  CHECK(sample.rows(0).calls_per_second() == Approx(400));
  CHECK(sample.rows(0).failed_per_second() == Approx(10));
}

TEST_CASE("a module that was loaded anew counts from zero, nothing is negative") {
  const auto sample =
      sample_between(reading(1'000'000, {100, 10, 90, 9'000}), reading(2'000'000, {7, 0, 7, 70}));
  CHECK(sample.rows(0).calls_per_second() == Approx(7));
  CHECK(sample.rows(0).mean_ms() == Approx(0.01));
  CHECK(sample_between(Figures(), reading(1, {0, 0, 0, 0})).rows(0).mean_ms() == 0);
  CHECK(sample_between(Figures(), Figures()).rows_size() == 0);
}

TEST_CASE("the busiest methods come first, what is wrong has a colour") {
  v1::TopSample sample;
  for (const auto& [method, rate] :
       {std::pair("v1.A/Slow", 0.25), std::pair("v1.A/Fast", 1200.0)}) {
    auto* row = sample.add_rows();
    row->set_module("a");
    row->set_method(method);
    row->set_calls_per_second(rate);
  }
  sample.mutable_rows(0)->set_failed_per_second(0.5);
  const std::string table = top_table(sample, true, Paint(true)).bytes();
  CHECK(table.find("v1.A/Fast") < table.find("v1.A/Slow"));
  CHECK_THAT(table, Contains("1200") && Contains("0.2") && Contains("\x1b[31m0.5"));
  CHECK_THAT(top_table(sample, false, Paint(false)).bytes(), StartsWith("MODULE  STATE"));
}

}  // namespace
}  // namespace longshore::ctl
