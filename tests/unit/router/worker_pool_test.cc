#include "router/worker_pool.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>
#include <vector>

#include "waiting.h"

namespace longshore::router {
namespace {

using namespace std::chrono_literals;

// Work that blocks until it is let go.
struct Gate {
  Watched<int> entered;
  Watched<bool> open;

  std::shared_ptr<Work> blocked() {
    return work_of([this] {
      entered.change([](int& count) { ++count; });
      open.wait([](bool is_open) { return is_open; });
    });
  }
  bool await(int count) {
    return entered.wait([&](int entered_now) { return entered_now >= count; });
  }
  void let_go() {
    open.change([](bool& is_open) { is_open = true; });
  }
};

TEST_CASE("All work is run, in the order of posting where there is one thread") {
  Timers timers;
  Watched<std::vector<int>> done;
  WorkerPool pool(timers, "test", 1);
  for (int i = 0; i < 100; ++i) {
    pool.post(work_of([&, i] { done.change([&](auto& numbers) { numbers.push_back(i); }); }));
  }
  REQUIRE(done.wait([](const auto& numbers) { return numbers.size() == 100; }));
  const auto numbers = done.get();
  CHECK(std::is_sorted(numbers.begin(), numbers.end()));
  CHECK(pool.threads() == 1);
  CHECK(pool.drain(Clock::now() + 10s));
}

TEST_CASE("Threads are added while work waits, up to the limit and not over it") {
  Timers timers;
  Gate gate;
  WorkerPool pool(timers, "test", 3);
  for (int i = 0; i < 5; ++i) pool.post(gate.blocked());
  REQUIRE(gate.await(3));
  CHECK(pool.threads() == 3);
  CHECK_FALSE(gate.entered.wait([](int count) { return count > 3; }, 50ms));
  gate.let_go();
  CHECK(gate.await(5));
  CHECK(pool.threads() == 3);
  CHECK(pool.drain(Clock::now() + 10s));
  CHECK(pool.threads() == 0);
}

TEST_CASE("A lost thread is replaced, and ends when it comes back") {
  Timers timers;
  Gate stuck;
  Gate next;
  WorkerPool pool(timers, "test", 1);
  pool.post(stuck.blocked());
  REQUIRE(stuck.await(1));
  pool.post(next.blocked());
  CHECK_FALSE(next.entered.wait([](int count) { return count > 0; }, 50ms));
  pool.thread_lost();
  REQUIRE(next.await(1));
  CHECK(pool.threads() == 2);
  pool.thread_returned();
  stuck.let_go();
  const auto end = Clock::now() + 10s;
  while (pool.threads() > 1 && Clock::now() < end) std::this_thread::yield();
  CHECK(pool.threads() == 1);
  next.let_go();
  CHECK(pool.drain(Clock::now() + 10s));
}

TEST_CASE("Draining waits for what runs, in bounds, and starts nothing more") {
  Timers timers;
  Gate gate;
  Watched<int> late;
  WorkerPool pool(timers, "test", 1);
  pool.post(gate.blocked());
  REQUIRE(gate.await(1));
  pool.post(work_of([&] { late.change([](int& count) { ++count; }); }));
  const auto begun = Clock::now();
  CHECK_FALSE(pool.drain(begun + 50ms));
  CHECK(Clock::now() - begun >= 50ms);
  gate.let_go();
  CHECK(pool.drain(Clock::now() + 10s));
  CHECK(late.get() == 0);
}

TEST_CASE("Work that waits when its pool is drained is let go, as is what comes later") {
  Timers timers;
  Gate gate;
  auto owner = std::make_shared<int>();
  const std::weak_ptr<int> left = owner;
  WorkerPool pool(timers, "test", 1);
  pool.post(gate.blocked());
  REQUIRE(gate.await(1));
  pool.post([owner] { static_cast<void>(owner); });
  CHECK_FALSE(pool.drain(Clock::now()));
  pool.post([owner] { static_cast<void>(owner); });
  owner.reset();
  CHECK(left.expired());
  gate.let_go();
  CHECK(pool.drain(Clock::now() + 10s));
}

TEST_CASE("A thread that comes back after its pool is gone does no harm") {
  Timers timers;
  Gate gate;
  Watched<bool> returned;
  {
    WorkerPool pool(timers, "test", 1);
    pool.post(work_of([&] {
      gate.entered.change([](int& count) { ++count; });
      gate.open.wait([](bool is_open) { return is_open; });
      returned.change([](bool& value) { value = true; });
    }));
    REQUIRE(gate.await(1));
    CHECK_FALSE(pool.drain(Clock::now() + 10ms));
  }
  gate.let_go();
  CHECK(returned.wait([](bool value) { return value; }));
}

}  // namespace
}  // namespace longshore::router
