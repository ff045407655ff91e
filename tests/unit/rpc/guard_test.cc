// The rules that bound a peer: floods, and memory for what is not complete.
#include <catch2/catch.hpp>
#include <vector>

#include "rpc/frame_rate_limiter.h"
#include "rpc/receive_budget.h"

using namespace longshore::rpc;
using namespace std::chrono_literals;
using Kind = FrameRateLimiter::Kind;

namespace {

Limits small_limits() {
  Limits limits;
  limits.max_pings_per_second = 3;
  limits.max_settings_per_second = 2;
  limits.max_resets_per_second = 4;
  limits.max_concurrent_streams = 6;
  return limits;
}

struct Waiter final : BudgetWaiter {
  void on_reserved() override { ++served; }
  void on_reservation_refused() override { ++refused; }
  int served = 0;
  int refused = 0;
};

using Reservation = ReceiveBudget::Reservation;

}  // namespace

TEST_CASE("A second's worth of frames is allowed at once, and no more") {
  FrameRateLimiter guard(small_limits());
  const FrameRateLimiter::Clock::time_point now{1h};
  for (int i = 0; i < 3; ++i) CHECK(guard.allow(Kind::kPing, now));
  CHECK_FALSE(guard.allow(Kind::kPing, now));
  // Each kind counts alone.
  CHECK(guard.allow(Kind::kSettings, now));
}

TEST_CASE("The allowance comes back with time, up to a second's worth") {
  FrameRateLimiter guard(small_limits());
  FrameRateLimiter::Clock::time_point now{1h};
  for (int i = 0; i < 3; ++i) guard.allow(Kind::kPing, now);
  now += 400ms;
  CHECK(guard.allow(Kind::kPing, now));
  CHECK_FALSE(guard.allow(Kind::kPing, now));
  now += 1h;
  for (int i = 0; i < 3; ++i) CHECK(guard.allow(Kind::kPing, now));
  CHECK_FALSE(guard.allow(Kind::kPing, now));
}

TEST_CASE("All permitted streams may be reset at once, twice") {
  FrameRateLimiter guard(small_limits());
  const FrameRateLimiter::Clock::time_point now{1h};
  for (int i = 0; i < 12; ++i) CHECK(guard.allow(Kind::kReset, now));
  CHECK_FALSE(guard.allow(Kind::kReset, now));
}

TEST_CASE("One ping after each answer is free") {
  FrameRateLimiter guard(small_limits());
  const FrameRateLimiter::Clock::time_point now{1h};
  for (int i = 0; i < 1000; ++i) {
    guard.answer_sent();
    CHECK(guard.take_free(Kind::kPing));
  }
  guard.answer_sent();
  guard.answer_sent();
  CHECK(guard.take_free(Kind::kPing));
  CHECK_FALSE(guard.take_free(Kind::kPing));
  for (int i = 0; i < 3; ++i) CHECK(guard.allow(Kind::kPing, now));
  CHECK_FALSE(guard.allow(Kind::kPing, now));
}

TEST_CASE("Some window updates for each frame of an answer are free, and nothing else") {
  FrameRateLimiter guard(small_limits());
  CHECK_FALSE(guard.take_free(Kind::kWindowUpdate));
  guard.answer_sent();
  guard.answer_sent();
  for (int i = 0; i < 20; ++i) CHECK(guard.take_free(Kind::kWindowUpdate));
  CHECK_FALSE(guard.take_free(Kind::kWindowUpdate));
  guard.answer_sent();
  CHECK_FALSE(guard.take_free(Kind::kIdleFrame));
  CHECK_FALSE(guard.take_free(Kind::kSettings));
}

TEST_CASE("Free window updates are saved up for the answers of all streams at most") {
  FrameRateLimiter guard(small_limits());  // 6 streams
  for (int i = 0; i < 1000; ++i) guard.answer_sent();
  for (int i = 0; i < 60; ++i) CHECK(guard.take_free(Kind::kWindowUpdate));
  CHECK_FALSE(guard.take_free(Kind::kWindowUpdate));
}

TEST_CASE("Held bytes fit into half of the budget") {
  ReceiveBudget budget(200);
  CHECK(budget.change_held(0, 60));
  CHECK(budget.change_held(0, 40));
  CHECK_FALSE(budget.change_held(40, 50));  // and nothing has changed
  CHECK(budget.change_held(40, 0));
  CHECK(budget.change_held(60, 100));
}

TEST_CASE("Large messages take turns in the order in which they came") {
  ReceiveBudget budget(200);
  Waiter first, second, third;
  CHECK(budget.reserve(first, 60) == Reservation::kGranted);
  CHECK(budget.reserve(second, 50) == Reservation::kWaits);
  CHECK(budget.reserve(third, 10) == Reservation::kWaits);  // would fit, but must not overtake
  budget.give_back(60);
  CHECK(second.served == 1);
  CHECK(third.served == 1);
  CHECK(first.served == 0);
}

TEST_CASE("A message larger than the budget is possible alone") {
  ReceiveBudget budget(200);
  Waiter first, second;
  CHECK(budget.reserve(first, 1000) == Reservation::kGranted);
  CHECK(budget.reserve(second, 1) == Reservation::kWaits);
  budget.give_back(1000);
  CHECK(second.served == 1);
}

TEST_CASE("Who gives up no longer stands in the way") {
  ReceiveBudget budget(200);
  Waiter first, second, third;
  CHECK(budget.reserve(first, 60) == Reservation::kGranted);
  CHECK(budget.reserve(second, 90) == Reservation::kWaits);
  CHECK(budget.reserve(third, 40) == Reservation::kWaits);
  budget.give_up(second);
  CHECK(third.served == 1);
  budget.give_back(60);
  CHECK(second.served == 0);
}
