// How many requests a second go, by a clock of the test's.
#include "kube/request_rate.h"

#include <catch2/catch.hpp>
#include <chrono>

namespace longshore::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Time = RequestRate::Time;

const RequestAnswer kGood = {.status = 200, .has_priority_level = true};
const RequestAnswer kTooMany = {.status = 429, .retry_after = seconds(2)};

int taken(RequestRate& rate, Time now) {
  int count = 0;
  while (count < 10'000 && rate.take(now)) ++count;
  return count;
}

// The rate after a second in which requests waited, unless `waits` is false, and were answered so.
double rate_after(const RequestAnswer& answer, bool waits = true) {
  RequestRate rate({}, Time::zero());
  REQUIRE(rate.take(Time::zero()));
  if (waits) taken(rate, Time::zero());
  rate.answered(kGood, milliseconds(100));
  rate.answered(answer, milliseconds(200));
  rate.answered(kGood, seconds(1));
  return rate.per_second();
}

TEST_CASE("a rate that is set is kept to, whatever the server answers") {
  RequestRate rate({.per_second = 5, .burst = 10}, seconds(100));
  CHECK(taken(rate, seconds(100)) == 10);
  CHECK(rate.until(1, seconds(100)) == milliseconds(200));
  CHECK(rate.until(4, seconds(100)) == milliseconds(800));
  CHECK_FALSE(rate.take(seconds(100) + milliseconds(199)));
  CHECK(taken(rate, seconds(100) + milliseconds(201)) == 1);
  rate.answered(kTooMany, seconds(101));
  rate.answered(kGood, seconds(103));
  CHECK(rate.per_second() == 5);
  CHECK(taken(rate, seconds(1000)) == 10);
}

TEST_CASE("a bucket whose size is not set holds what a second brings, and one token at least") {
  RequestRate rate({.per_second = 50}, Time::zero());
  CHECK(taken(rate, Time::zero()) == 50);
  RequestRate slow({.per_second = 0.25}, Time::zero());
  CHECK(taken(slow, Time::zero()) == 1);
  CHECK(slow.until(1, Time::zero()) == seconds(4));
  RequestRate hardly({.per_second = 1e-300}, Time::zero());
  CHECK(taken(hardly, Time::zero()) == 1);
  CHECK(hardly.until(1, Time::zero()) > std::chrono::hours(24));
  RequestRate of_the_server({.burst = 3}, Time::zero());
  CHECK(taken(of_the_server, Time::zero()) == 3);
}

TEST_CASE("a rate that is not set begins with 20 and rises to 200 while requests wait") {
  RequestRate rate({}, Time::zero());
  CHECK(taken(rate, Time::zero()) == 20);
  for (int second = 1; second <= 20; ++second) {
    rate.answered(kGood, seconds(second));
    CHECK(rate.per_second() == std::min(20 * (second + 1), 200));
    CHECK(taken(rate, seconds(second)) == std::min(20 * second, 200));
  }
}

TEST_CASE("a rate does not rise but where requests wait and the server does well") {
  CHECK(rate_after(kGood) == 40);
  CHECK(rate_after(kGood, false) == 20);
  CHECK(rate_after({.status = 200, .has_priority_level = true, .took = milliseconds(1001)}) == 20);
  // What it refuses for other reasons is answered promptly, too.
  CHECK(rate_after({.status = 409}) == 40);

  RequestRate without_header({}, Time::zero());
  taken(without_header, Time::zero());
  for (int second = 1; second <= 5; ++second) {
    without_header.answered({.status = 200}, seconds(second));
    taken(without_header, seconds(second));
  }
  CHECK(without_header.per_second() == 20);
}

TEST_CASE("a rate is halved where the server has too many requests, once in a second") {
  RequestRate rate({}, Time::zero());
  rate.answered({.status = 429}, milliseconds(10));
  CHECK(rate.per_second() == 10);
  CHECK(taken(rate, milliseconds(10)) == 10);
  rate.answered({.status = 429}, milliseconds(1009));
  CHECK(rate.per_second() == 10);
  for (int i = 2; i < 5; ++i) rate.answered({.status = 429}, seconds(i));
  CHECK(rate.per_second() == 5);
  // It rises from there.
  taken(rate, seconds(5));
  rate.answered(kGood, seconds(6));
  CHECK(rate.per_second() == 25);
}

TEST_CASE("nothing is sent before Retry-After is over, which is not believed beyond 30 s") {
  RequestRate rate({}, Time::zero());
  rate.answered(kTooMany, seconds(1));
  CHECK_FALSE(rate.take(seconds(1)));
  CHECK_FALSE(rate.take(seconds(3)));
  CHECK(rate.until(1, seconds(1)) == milliseconds(2100));
  CHECK(taken(rate, milliseconds(3201)) == 2);
  // One that comes later and says less takes nothing back.
  rate.answered({.status = 429, .retry_after = seconds(1'000'000)}, seconds(10));
  rate.answered({.status = 429, .retry_after = seconds(0)}, milliseconds(10'500));
  CHECK_FALSE(rate.take(seconds(40)));
  CHECK(rate.take(seconds(41)));
}

}  // namespace
}  // namespace longshore::kube
