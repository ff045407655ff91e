#include "router/timers.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "held_timers.h"
#include "waiting.h"

namespace longshore::router {
namespace {

using namespace std::chrono_literals;

using Order = Watched<std::vector<int>>;

class Numbered final : public Timer {
 public:
  Numbered(Order& order, int number) : order_(order), number_(number) {}
  void on_time() override {
    order_.change([&](auto& numbers) { numbers.push_back(number_); });
  }

 private:
  Order& order_;
  const int number_;
};

bool has(Order& order, size_t count) {
  return order.wait([&](const auto& numbers) { return numbers.size() >= count; });
}

TEST_CASE("Timers run at their times, not in the order of arming") {
  Order order;
  Timers timers;
  std::vector<std::shared_ptr<Numbered>> all;
  for (int i = 0; i < 5; ++i) all.push_back(std::make_shared<Numbered>(order, i));
  HeldTimers held(timers);
  const auto start = Clock::now();
  for (const int i : {3, 0, 4, 1, 2}) {
    timers.arm(*all[static_cast<size_t>(i)], start + (i + 1) * 20ms);
  }
  held.release();
  REQUIRE(has(order, 5));
  CHECK(order.get() == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(Clock::now() - start >= 100ms);
}

TEST_CASE("An earlier time than all others wakes the thread; a past one runs at once") {
  Order order;
  Timers timers;
  const auto far = std::make_shared<Numbered>(order, 1);
  const auto near = std::make_shared<Numbered>(order, 2);
  const auto past = std::make_shared<Numbered>(order, 3);
  timers.arm(*far, Clock::now() + 1h);
  timers.arm(*near, Clock::now() + 10ms);
  REQUIRE(has(order, 1));
  timers.arm(*past, Clock::time_point::min());
  REQUIRE(has(order, 2));
  CHECK(order.get() == std::vector<int>{2, 3});
  timers.disarm(*far);
}

TEST_CASE("A disarmed timer does not run, and disarming twice does no harm") {
  Order order;
  Timers timers;
  const auto disarmed = std::make_shared<Numbered>(order, 1);
  const auto after = std::make_shared<Numbered>(order, 2);
  HeldTimers held(timers);
  timers.arm(*disarmed, Clock::now() + 20ms);
  timers.arm(*after, Clock::now() + 40ms);
  timers.disarm(*disarmed);
  timers.disarm(*disarmed);
  held.release();
  REQUIRE(has(order, 1));
  CHECK(order.get() == std::vector<int>{2});
}

TEST_CASE("Arming again moves a timer, in both directions") {
  Order order;
  Timers timers;
  const auto later = std::make_shared<Numbered>(order, 1);
  const auto sooner = std::make_shared<Numbered>(order, 2);
  HeldTimers held(timers);
  const auto start = Clock::now();
  timers.arm(*later, start + 5ms);
  timers.arm(*later, start + 60ms);
  timers.arm(*sooner, start + 1h);
  timers.arm(*sooner, start + 30ms);
  held.release();
  REQUIRE(has(order, 2));
  CHECK(order.get() == std::vector<int>{2, 1});
}

class Repeating final : public Timer {
 public:
  Repeating(Timers& timers, Order& order) : timers_(timers), order_(order) {}
  void on_time() override {
    if (++times_ < 5) timers_.arm(*this, Clock::now());
    order_.change([&](auto& numbers) { numbers.push_back(times_); });
  }

 private:
  Timers& timers_;
  Order& order_;
  int times_ = 0;
};

TEST_CASE("A timer may arm itself while it runs") {
  Order order;
  Timers timers;
  const auto repeating = std::make_shared<Repeating>(timers, order);
  timers.arm(*repeating, Clock::now());
  REQUIRE(has(order, 5));
  CHECK(order.get() == std::vector<int>{1, 2, 3, 4, 5});
}

class SelfDisarming final : public Timer {
 public:
  explicit SelfDisarming(Timers& timers, std::atomic<int>& alive) : timers_(timers), alive_(alive) {
    ++alive_;
  }
  ~SelfDisarming() override {
    timers_.disarm(*this);
    --alive_;
  }
  void on_time() override {}

 private:
  Timers& timers_;
  std::atomic<int>& alive_;
};

TEST_CASE("The last reference may be dropped while the timer is just becoming due") {
  std::atomic<int> alive = 0;
  Timers timers;
  for (int round = 0; round < 2000; ++round) {
    auto timer = std::make_shared<SelfDisarming>(timers, alive);
    timers.arm(*timer, Clock::now() + std::chrono::microseconds(round % 100));
    while (round % 3 == 0 && Clock::now().time_since_epoch().count() % 64 != 0) {
    }
    timer.reset();
  }
  Order order;
  const auto last = std::make_shared<Numbered>(order, 1);
  timers.arm(*last, Clock::now() + 1ms);
  REQUIRE(has(order, 1));  // whatever ran before it is over
  CHECK(alive == 0);
}

TEST_CASE("What a running timer uses is waited for") {
  struct Held final : Timer {
    void on_time() override {
      began = true;
      std::this_thread::sleep_for(20ms);  // as long as a thread may be preempted
      ended = true;
    }
    std::atomic<bool> began = false, ended = false;
  };
  Timers timers;
  timers.wait_for_running();  // of nothing
  const auto held = std::make_shared<Held>();
  timers.arm(*held, Clock::now());
  while (!held->began) std::this_thread::yield();
  timers.wait_for_running();
  CHECK(held->ended);
}

}  // namespace
}  // namespace longshore::router
