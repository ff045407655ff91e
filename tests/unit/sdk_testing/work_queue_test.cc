// The work queue of a controller's, in the fake host, whose time passes only when it is told to.
#include "longshore/work_queue.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstddef>
#include <future>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "tests/support/eventually.h"
#include "tests/unit/router/waiting.h"
#include "tests/unit/sdk_testing/echo_module.h"
#include "tests/unit/sdk_testing/liar.h"
#ifndef _WIN32
#include "tests/support/heap_bytes.h"
#endif

namespace longshore::testing {
namespace {

using namespace std::chrono_literals;
using Keys = std::vector<std::string>;

constexpr WorkQueue::Options kTens{.first_delay = 10ms, .most_delay = 50ms};

Result<void> fail() { return Error(StatusCode::kUnavailable, "reach the shelf"); }

// An instance, and what was handled in the test's own thread.
struct QueueWorld {
  QueueWorld() { REQUIRE(host.start().ok()); }

  // One whose handler notes the key and does what the test says.
  WorkQueue& make(WorkQueue::Options options = {}) {
    return queue.emplace(
        liar.host, "shelves",
        [this](const std::string& key) {
          handled.push_back(key);
          return handle ? handle(key) : Result<void>();
        },
        options);
  }
  void run() { host.advance(0ns); }
  // Whether nothing is handled until just before `delay` is over, and something then.
  bool is_next_after(std::chrono::nanoseconds delay) {
    const size_t before = handled.size();
    host.advance(delay - 1ns);
    if (handled.size() != before) return false;
    host.advance(1ns);
    return handled.size() == before + 1;
  }

  Liar liar;
  FakeHost host{liar.entry()};
  Keys handled;
  WorkQueue::Handler handle;
  std::optional<WorkQueue> queue;
};

// A queue whose handlers wait for the test, each on a thread of its own.
struct HeldWorld : QueueWorld {
  ~HeldWorld() { let_go(); }

  WorkQueue& make_held(size_t workers) {
    return queue.emplace(
        liar.host, "shelves",
        [this](const std::string& key) {
          inside.change([&](Keys& keys) { keys.push_back(key); });
          is_open.wait([](bool value) { return value; });
          return outcome;
        },
        WorkQueue::Options{.workers = workers});
  }
  // What is queued is handled on one thread more.
  void run_on_thread() {
    threads.push_back(std::async(std::launch::async, [this] { host.advance(0ns); }));
  }
  bool await_inside(const Keys& expected) {
    return inside.wait([&](const Keys& keys) { return keys == expected; });
  }
  void let_go() {
    is_open.change([](bool& value) { value = true; });
    for (auto& thread : threads) thread.get();
    threads.clear();
  }

  Result<void> outcome;
  router::Watched<Keys> inside;
  router::Watched<bool> is_open;
  std::vector<std::future<void>> threads;
};

TEST_CASE_METHOD(QueueWorld, "a key that is added often is handled once, and keys in their order") {
  WorkQueue& shelves = make();
  for (const char* key : {"a", "b", "a", "c", "b", "a"}) shelves.add(key);
  CHECK(handled.empty());
  CHECK(shelves.metrics().depth == 3);
  run();
  CHECK(handled == Keys{"a", "b", "c"});
  CHECK(shelves.metrics().depth == 0);
  shelves.add("a");
  run();
  CHECK(handled == Keys{"a", "b", "c", "a"});
  CHECK(shelves.metrics().adds == 4);
  CHECK(shelves.metrics().retries == 0);
  host.advance(24h);
  CHECK(handled.size() == 4);
}

TEST_CASE_METHOD(QueueWorld,
                 "a key that its handler adds is handled once more, behind the others") {
  WorkQueue& shelves = make();
  handle = [&](const std::string& key) -> Result<void> {
    if (key != "a" || handled.size() > 1) return {};
    shelves.add("a");
    shelves.add("a");
    CHECK(shelves.metrics().depth == 2);
    return {};
  };
  shelves.add("a");
  shelves.add("b");
  run();
  CHECK(handled == Keys{"a", "b", "a"});
  CHECK(shelves.metrics().adds == 3);
}

TEST_CASE_METHOD(HeldWorld, "a key that is added while it runs is not handled by two at once") {
  WorkQueue& shelves = make_held(2);
  shelves.add("a");
  run_on_thread();
  REQUIRE(await_inside({"a"}));
  shelves.add("a");
  shelves.add("a");
  CHECK(host.run_posts() == 0);
  CHECK(shelves.metrics().depth == 1);
  let_go();
  run();
  CHECK(inside.get() == Keys{"a", "a"});
}

uint64_t sum_of(const WorkQueue::Durations& durations) {
  return std::accumulate(durations.buckets.begin(), durations.buckets.end(), uint64_t{0});
}

TEST_CASE("a duration is counted where it ends, and the last place is for what is longer") {
  WorkQueue::Durations durations;
  for (const std::chrono::nanoseconds time : {0ns, 10ns, 11ns}) durations.add(time);
  for (const std::chrono::nanoseconds time : {10s + 0ns, 10s + 1ns, 8760h + 0ns}) {
    durations.add(time);
  }
  CHECK(durations.buckets == std::array<uint64_t, 11>{2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2});
  CHECK(durations.total == 8760h + 20s + 22ns);
}

TEST_CASE_METHOD(HeldWorld, "waits are counted when they end, and work when it does") {
  WorkQueue& shelves = make_held(1);
  shelves.add("a");
  shelves.add("b");
  CHECK(sum_of(shelves.metrics().waited) == 0);
  CHECK(shelves.metrics().unfinished == 0ns);
  run_on_thread();
  REQUIRE(await_inside({"a"}));
  const auto running = [&] { return shelves.metrics().longest_running; };
  CHECK(test::eventually([&] { return running() > 0ns; }));
  WorkQueue::Metrics metrics = shelves.metrics();
  CHECK(metrics.unfinished == metrics.longest_running);
  CHECK(metrics.running == 1);
  CHECK(metrics.oldest > 0ns);
  CHECK(sum_of(metrics.waited) == 1);
  CHECK(sum_of(metrics.worked) == 0);
  let_go();
  run();
  metrics = shelves.metrics();
  CHECK(sum_of(metrics.waited) == 2);
  CHECK(sum_of(metrics.worked) == 2);
  CHECK(metrics.unfinished == 0ns);
  CHECK(metrics.longest_running == 0ns);
  CHECK(metrics.running == 0);
  CHECK(metrics.oldest == 0ns);
}

TEST_CASE_METHOD(HeldWorld, "no more handlers run at once than there are workers") {
  WorkQueue& shelves = make_held(2);
  shelves.add("a");
  run_on_thread();
  REQUIRE(await_inside({"a"}));
  shelves.add("b");
  run_on_thread();
  REQUIRE(await_inside({"a", "b"}));
  shelves.add("c");
  CHECK(host.run_posts() == 0);
  CHECK(shelves.metrics().depth == 1);
  let_go();
  run();
  CHECK(inside.get() == Keys{"a", "b", "c"});
}

TEST_CASE_METHOD(QueueWorld, "a key that fails is tried again, later each time, until it is done") {
  WorkQueue& shelves = make(kTens);
  bool is_well = false;
  handle = [&](const std::string&) { return is_well ? Result<void>() : fail(); };
  shelves.add("a");
  run();
  CHECK(is_next_after(10ms));
  CHECK(is_next_after(20ms));
  CHECK(is_next_after(40ms));
  CHECK(is_next_after(50ms));
  CHECK(shelves.metrics().retries == 5);
  CHECK(shelves.metrics().delayed == 1);
  is_well = true;
  CHECK(is_next_after(50ms));
  CHECK(shelves.metrics().retries == 5);
  CHECK(shelves.metrics().adds == 6);
  host.advance(24h);
  REQUIRE(handled.size() == 6);

  is_well = false;
  shelves.add("a");
  run();
  CHECK(is_next_after(10ms));
}

TEST_CASE_METHOD(QueueWorld,
                 "a key that is done begins anew with the first delay, also if queued") {
  WorkQueue& shelves = make(kTens);
  handle = [&](const std::string& key) -> Result<void> {
    if (handled.size() != 2) return fail();
    shelves.add(key);
    return {};
  };
  shelves.add("a");
  run();
  host.advance(10ms);
  CHECK(handled.size() == 3);
  CHECK(is_next_after(10ms));
}

TEST_CASE_METHOD(QueueWorld,
                 "each key has a back-off of its own, and the first is not over the most") {
  WorkQueue& shelves = make({.first_delay = 1h, .most_delay = 10ms});
  handle = [&](const std::string& key) { return key == "a" ? fail() : Result<void>(); };
  shelves.add("a");
  run();
  shelves.add("b");
  run();
  CHECK(handled == Keys{"a", "b"});
  CHECK(is_next_after(10ms));
  CHECK(is_next_after(10ms));
  CHECK(handled == Keys{"a", "b", "a", "a"});
}

TEST_CASE_METHOD(QueueWorld, "without a first delay a key that fails is tried again at once") {
  WorkQueue& shelves = make({.first_delay = 0ns});
  handle = [&](const std::string&) { return handled.size() < 5 ? fail() : Result<void>(); };
  shelves.add("a");
  run();
  CHECK(handled.size() == 5);
}

TEST_CASE_METHOD(QueueWorld, "the earlier of two delays counts") {
  WorkQueue& shelves = make();
  const auto [first, second] = GENERATE(std::pair{1s, 10s}, std::pair{10s, 1s});
  shelves.add_after("a", first);
  shelves.add_after("a", second);
  CHECK(is_next_after(1s));
  host.advance(24h);
  CHECK(handled == Keys{"a"});
  CHECK(shelves.metrics().adds == 1);
  CHECK(shelves.metrics().retries == 2);
}

TEST_CASE_METHOD(QueueWorld, "delays of several keys do not move each other") {
  WorkQueue& shelves = make();
  shelves.add_after("late", 100ms);
  host.advance(60ms);
  shelves.add_after("early", 20ms);
  CHECK(is_next_after(20ms));
  CHECK(is_next_after(20ms));
  CHECK(handled == Keys{"early", "late"});
}

TEST_CASE_METHOD(QueueWorld, "what is added at once waits for no delay, and ends none") {
  WorkQueue& shelves = make();
  shelves.add_after("a", 10s);
  CHECK(shelves.metrics().depth == 0);
  shelves.add("a");
  run();
  CHECK(handled.size() == 1);
  CHECK(is_next_after(10s));
}

TEST_CASE_METHOD(QueueWorld,
                 "a delay that is over is none, and one that nobody can count is long") {
  WorkQueue& shelves = make();
  shelves.add_after("a", 0ns);
  shelves.add_after("b", -1h);
  shelves.add_after("c", std::chrono::nanoseconds::max());
  run();
  CHECK(handled == Keys{"a", "b"});
  host.advance(24h);
  CHECK(handled == Keys{"a", "b"});
}

TEST_CASE_METHOD(QueueWorld, "what a handler says or throws is logged, and the key tried again") {
  WorkQueue& shelves = make(kTens);
  handle = [&](const std::string& key) -> Result<void> {
    if (handled.size() > 3) return {};
    if (key == "a") throw std::runtime_error("boom");
    if (key == "b") throw 1;
    return fail();
  };
  for (const char* key : {"a", "b", "c"}) shelves.add(key);
  run();
  CHECK(host.logged("work queue shelves, \"a\": the module threw an exception: boom"));
  CHECK(host.logged("work queue shelves, \"b\": the module threw an unknown exception"));
  CHECK(host.logged("work queue shelves, \"c\": cannot reach the shelf"));
  host.advance(10ms);
  CHECK(handled == Keys{"a", "b", "c", "a", "b", "c"});
  CHECK(host.log().size() == 3);
}

TEST_CASE_METHOD(QueueWorld,
                 "a queue that is stopped handles nothing that waits, nor what is added") {
  WorkQueue& shelves = make();
  shelves.add("a");
  shelves.add_after("b", 1s);
  shelves.stop();
  shelves.add("c");
  shelves.add_after("d", 1s);
  CHECK(shelves.metrics().depth == 0);
  host.advance(1h);
  CHECK(handled.empty());
  shelves.stop();
  if (GENERATE(false, true)) queue.reset();
  CHECK(host.end().empty());
}

TEST_CASE_METHOD(QueueWorld, "a queue that is stopped lets go of its handler") {
  auto held = std::make_shared<int>();
  const std::weak_ptr<int> watched = held;
  WorkQueue shelves(liar.host, "shelves",
                    [held = std::move(held)](const std::string&) { return Result<void>(); });
  shelves.add("a");
  CHECK_FALSE(watched.expired());
  shelves.stop();
  CHECK(watched.expired());
}

TEST_CASE_METHOD(HeldWorld, "a stop waits for the handlers that run, and nothing follows them") {
  WorkQueue& shelves = make_held(1);
  outcome = GENERATE(Result<void>(), fail());
  shelves.add("a");
  run_on_thread();
  REQUIRE(await_inside({"a"}));
  shelves.add("a");
  shelves.add("b");
  auto stopped = std::async(std::launch::async, [&] { shelves.stop(); });
  // Once it has begun nothing is added any more.
  REQUIRE(test::eventually([&] {
    const uint64_t before = shelves.metrics().adds;
    shelves.add("c" + std::to_string(before));
    return shelves.metrics().adds == before;
  }));
  CHECK(stopped.wait_for(20ms) == std::future_status::timeout);
  let_go();
  stopped.get();
  host.advance(1h);
  CHECK(inside.get() == Keys{"a"});
}

TEST_CASE_METHOD(QueueWorld, "the stop of the instance ends a queue that waits") {
  WorkQueue& shelves = make();
  if (GENERATE(false, true)) {
    shelves.add("a");
  } else {
    shelves.add_after("a", 1s);
  }
  REQUIRE(host.stop().ok());
  shelves.add("b");
  shelves.add_after("c", 1s);
  CHECK(handled.empty());
  queue.reset();
  CHECK(host.end().empty());
}

TEST_CASE_METHOD(QueueWorld, "a queue that is refused ends, and says so once") {
  WorkQueue& shelves = make();
  REQUIRE(host.stop().ok());
  const bool is_delayed = GENERATE(false, true);
  for (const char* key : {"a", "b"}) is_delayed ? shelves.add_after(key, 1s) : shelves.add(key);
  CHECK(host.log().size() == 1);
  CHECK(host.logged("the work queue shelves ends"));
  queue.reset();
  CHECK(host.end() == std::vector<std::string>{"a function was posted after the stop"});
}

TEST_CASE_METHOD(QueueWorld, "an agent without timers ends a queue with the first delay") {
  longshore_host old = *liar.host;
  old.struct_size = offsetof(longshore_host, set_timer);
  WorkQueue shelves(&old, "shelves", [this](const std::string& key) {
    handled.push_back(key);
    return fail();
  });
  shelves.add("a");
  host.advance(1h);
  CHECK(handled == Keys{"a"});
  CHECK(host.logged("the work queue shelves ends"));
}

#ifndef _WIN32
TEST_CASE_METHOD(QueueWorld, "keys that are done take no memory") {
  constexpr int kKeys = 1000;
  // But for what is remembered of them, which is bounded.
  const size_t history_bytes = GENERATE(size_t{0}, size_t{10} << 10);
  WorkQueue shelves(liar.host, "shelves", [](const std::string&) { return Result<void>(); },
                    {.history_bytes = history_bytes});
  const size_t before = test::heap_bytes();
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = std::string(100, 'a') + std::to_string(i);
    i % 2 == 0 ? shelves.add(key) : shelves.add_after(key, 1s);
    host.advance(1s);
  }
  const size_t after = test::heap_bytes();
  CHECK(shelves.metrics().adds == kKeys);
  CHECK(after < before + history_bytes + size_t{100} * kKeys / 4);
}
#endif

TEST_CASE_METHOD(QueueWorld, "many threads add keys, and each is handled by one at a time") {
  constexpr int kKeys = 20;
  constexpr int kAdds = 200;
  struct Seen {
    std::atomic<int> inside = 0;
    std::atomic<int> tries = 0;
  };
  std::map<std::string, Seen> seen;
  for (int i = 0; i < kKeys; ++i) seen[std::to_string(i)];
  std::atomic<int> inside = 0;
  std::atomic<bool> is_wrong = false;
  WorkQueue shelves(liar.host, "shelves",
                    [&](const std::string& key) -> Result<void> {
                      Seen& at = seen.at(key);
                      if (++at.inside > 1 || ++inside > 3) is_wrong = true;
                      std::this_thread::yield();
                      --inside;
                      --at.inside;
                      return ++at.tries % 3 == 0 ? Result<void>() : fail();
                    },
                    {.workers = 3, .most_delay = 20ms});
  std::vector<std::future<void>> threads;
  std::atomic<bool> is_over = false;
  for (int thread = 0; thread < 4; ++thread) {
    threads.push_back(std::async(std::launch::async, [&] {
      while (!is_over) host.advance(1ms);
    }));
  }
  for (int thread = 0; thread < 2; ++thread) {
    threads.push_back(std::async(std::launch::async, [&] {
      for (int i = 0; i < kAdds; ++i) {
        const std::string key = std::to_string(i % kKeys);
        i % 2 == 0 ? shelves.add(key) : shelves.add_after(key, 1ms);
      }
    }));
  }
  const auto is_done = [&] {
    return std::ranges::all_of(seen, [](const auto& each) { return each.second.tries >= 3; });
  };
  CHECK(test::eventually(is_done));
  shelves.stop();
  const int after_stop = seen.at("0").tries;
  is_over = true;
  for (auto& thread : threads) thread.get();
  CHECK(seen.at("0").tries == after_stop);
  CHECK_FALSE(is_wrong);
}

}  // namespace
}  // namespace longshore::testing
