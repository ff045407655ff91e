// Calls on the thread that reads requests, and what happens when one of them blocks.
#include "endpoint/io_threads.h"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "endpoint/thread_activity.h"
#include "tests/unit/router/waiting.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using router::Watched;
using router::work_of;

// The threads at work, and a pool for what they do not want.
struct Fixture {
  explicit Fixture(IoThreads::Patience patience) : threads(io, patience) {
    runner = std::thread([this] {
      const bool all_left = threads.run();
      ended.change([&](End& end) { end = all_left ? End::kWithAll : End::kWithoutSome; });
    });
  }
  ~Fixture() {
    io.stop();
    runner.join();
    pool.drain(router::Clock::now() + 10s);
  }

  // Runs `function` on the leading thread.
  void on_leader(std::function<void()> function) { asio::post(io, std::move(function)); }
  std::thread::id leader() {
    Watched<std::thread::id> id;
    on_leader([&] { id.change([](auto& value) { value = std::this_thread::get_id(); }); });
    REQUIRE(id.wait([](const auto& value) { return value != std::thread::id(); }));
    return id.get();
  }
  // Where a call that is begun now runs.
  std::thread::id thread_of_call() { return thread_of_call(pool); }
  std::thread::id thread_of_call(router::WorkerPool& of_pool) {
    Watched<std::thread::id> id;
    on_leader([&] {
      threads.run_soon(
          work_of([&] { id.change([](auto& value) { value = std::this_thread::get_id(); }); }),
          of_pool);
    });
    REQUIRE(id.wait([](const auto& value) { return value != std::thread::id(); }));
    return id.get();
  }

  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> more = asio::make_work_guard(io);
  router::Timers timers;
  router::WorkerPool pool{timers, "test", 4};
  IoThreads threads;
  enum class End { kNotYet, kWithAll, kWithoutSome };
  Watched<End> ended;
  std::thread runner;
};

// A busy machine may hold up any thread for a while. So where nobody is to be relieved, nobody is
// within a test's time, and where pools are to be used, they are for all of it.
struct Patient : Fixture {
  Patient() : Fixture({.with_a_call = 1h, .with_pools = 0ms}) {}
};
struct Impatient : Fixture {
  Impatient() : Fixture({.with_a_call = 2ms, .with_pools = 1h, .at_the_end = 100ms}) {}
};
struct Forgiving : Fixture {
  Forgiving() : Fixture({.with_a_call = 2ms, .with_pools = 1ms, .at_the_end = 1h}) {}
};
struct Relieving : Fixture {
  Relieving() : Fixture({.with_a_call = 2ms, .with_pools = 0ms}) {}
};

// Something that blocks until it is let go. The thread in it shares the two.
class Blocked {
 public:
  std::shared_ptr<router::Work> work() {
    return work_of([begun = begun_, let_go = let_go_] {
      begun->change([](bool& value) { value = true; });
      let_go->wait([](bool value) { return value; });
    });
  }
  bool await() {
    return begun_->wait([](bool value) { return value; });
  }
  void release() {
    let_go_->change([](bool& value) { value = true; });
  }

 private:
  const std::shared_ptr<Watched<bool>> begun_ = std::make_shared<Watched<bool>>();
  const std::shared_ptr<Watched<bool>> let_go_ = std::make_shared<Watched<bool>>();
};

TEST_CASE_METHOD(Patient, "Quick calls run on the thread that leads, after the handler, in turn") {
  Watched<std::vector<int>> done;
  on_leader([&] {
    for (int i = 0; i < 100; ++i) {
      threads.run_soon(work_of([&, i] { done.change([&](auto& all) { all.push_back(i); }); }),
                       pool);
    }
    done.change([](auto& all) { all.push_back(-1); });
  });
  REQUIRE(done.wait([](const auto& all) { return all.size() == 101; }));
  const auto all = done.get();
  for (int i = 0; i < 101; ++i) CHECK(all[static_cast<size_t>(i)] == i - 1);
  CHECK(thread_of_call() == leader());
  CHECK(pool.threads() == 0);
}

TEST_CASE_METHOD(Patient, "Calls from other threads go to their pool") {
  Watched<bool> done;
  threads.run_soon(work_of([&] { done.change([](bool& value) { value = true; }); }), pool);
  REQUIRE(done.wait([](bool value) { return value; }));
  CHECK(pool.threads() > 0);
}

TEST_CASE_METHOD(Impatient,
                 "A call that blocks holds up neither handlers nor the calls behind it") {
  const auto first = leader();
  Blocked blocked;
  Watched<std::thread::id> behind;
  on_leader([&] {
    threads.run_soon(blocked.work(), pool);
    threads.run_soon(
        work_of([&] { behind.change([](auto& id) { id = std::this_thread::get_id(); }); }), pool);
  });
  REQUIRE(blocked.await());
  const auto second = leader();
  CHECK(second != first);
  REQUIRE(behind.wait([](const auto& id) { return id != std::thread::id(); }));
  CHECK(behind.get() != first);
  CHECK(behind.get() != second);  // in the pool
  blocked.release();
}

TEST_CASE_METHOD(Forgiving, "The end waits for the calls that are about to come back") {
  Blocked blocked;
  on_leader([&] { threads.run_soon(blocked.work(), pool); });
  REQUIRE(blocked.await());
  leader();
  blocked.release();
  io.stop();
  CHECK(ended.wait([](End end) { return end == End::kWithAll; }));
}

TEST_CASE_METHOD(Impatient, "A call is let go of when it is done, whoever ran it") {
  Blocked blocked;
  std::weak_ptr<router::Work> behind;
  on_leader([&] {
    threads.run_soon(blocked.work(), pool);
    auto work = work_of([] {});
    behind = work;
    threads.run_soon(std::move(work), pool);
  });
  REQUIRE(blocked.await());
  leader();
  const auto deadline = router::Clock::now() + 30s;
  while (!behind.expired() && router::Clock::now() < deadline) std::this_thread::yield();
  CHECK(behind.expired());
  blocked.release();
}

TEST_CASE_METHOD(Impatient, "One call that blocks costs one change of the leader and no more") {
  Blocked blocked;
  on_leader([&] { threads.run_soon(blocked.work(), pool); });
  REQUIRE(blocked.await());
  leader();
  CHECK(thread_of_call() == leader());
  blocked.release();
}

TEST_CASE_METHOD(Impatient, "After the second that blocked, calls of that pool go to the pool") {
  router::WorkerPool other{timers, "other", 1};
  Blocked blocked;
  for (int i = 0; i < 2; ++i) {
    on_leader([&] { threads.run_soon(blocked.work(), pool); });
    REQUIRE(blocked.await());
    leader();
  }
  const auto third = leader();
  CHECK(thread_of_call() != third);
  CHECK(thread_of_call(other) == third);
  blocked.release();
}

TEST_CASE_METHOD(Forgiving, "After a while without such calls, the leader runs them again") {
  Blocked blocked;
  for (int i = 0; i < 2; ++i) {
    on_leader([&] { threads.run_soon(blocked.work(), pool); });
    REQUIRE(blocked.await());
    leader();
  }
  blocked.release();
  const auto deadline = router::Clock::now() + 30s;
  bool again = false;
  while (!again && router::Clock::now() < deadline) again = thread_of_call() == leader();
  CHECK(again);
}

TEST_CASE_METHOD(Relieving, "A call that spins is left behind as well") {
  const auto first = leader();
  std::atomic<bool> let_go{false};
  Watched<bool> over;
  on_leader([&] {
    threads.run_soon(work_of([&] {
                       while (!let_go) {
                       }
                       over.change([](bool& value) { value = true; });
                     }),
                     pool);
  });
  CHECK(leader() != first);
  let_go = true;
  CHECK(over.wait([](bool value) { return value; }));
}

TEST_CASE("A thread that waits for a processor is not held up; one that blocks or spins is") {
  const ThreadActivity begun{.is_runnable = true, .processor_time = 5ms};
  CHECK_FALSE(is_held_up(begun, begun, 1ms));
  CHECK_FALSE(is_held_up(begun, {.is_runnable = true, .processor_time = 5900us}, 1ms));
  CHECK(is_held_up(begun, {.is_runnable = true, .processor_time = 6ms}, 1ms));
  CHECK(is_held_up(begun, {.is_runnable = false, .processor_time = 5ms}, 1ms));
}

#if defined(__linux__)
TEST_CASE("What a thread does is seen from another") {
  const ThreadObserver own;
  CHECK(own.look().is_runnable);
  Watched<const ThreadObserver*> observer;
  Watched<bool> let_go;
  std::thread blocked([&] {
    const ThreadObserver mine;
    observer.change([&](auto& value) { value = &mine; });
    let_go.wait([](bool value) { return value; });
  });
  REQUIRE(observer.wait([](auto value) { return value != nullptr; }));
  const auto deadline = router::Clock::now() + 30s;
  while (observer.get()->look().is_runnable && router::Clock::now() < deadline) {
    std::this_thread::yield();
  }
  CHECK_FALSE(observer.get()->look().is_runnable);
  CHECK(own.look().processor_time > 0ns);
  let_go.change([](bool& value) { value = true; });
  blocked.join();
}
#endif

// Counts how often it is done.
struct Counted final : rpc::Deferred {
  void run_deferred() override {
    times.change([](int& value) { ++value; });
  }
  Watched<int> times;
};

TEST_CASE_METHOD(Patient, "A call on the leader acts on what is the context's, and defers") {
  const auto deferred = std::make_shared<Counted>();
  Watched<int> done;  // as seen within the call
  on_leader([&] {
    threads.run_soon(
        work_of([&] {
          const bool here = threads.run_here([&] { threads.defer(deferred); });
          done.change([&](int& value) { value = here && deferred->times.get() == 0 ? 1 : -1; });
        }),
        pool);
  });
  REQUIRE(done.wait([](int value) { return value != 0; }));
  CHECK(done.get() == 1);
  CHECK(deferred->times.wait([](int times) { return times == 1; }));
  CHECK_FALSE(threads.run_here([] {}));  // this thread is none of them
}

TEST_CASE_METHOD(Relieving, "A call that was left behind acts on nothing of the context's") {
  const auto deferred = std::make_shared<Counted>();
  Blocked blocked;
  Watched<int> done;
  on_leader([&] {
    threads.run_soon(work_of([&] { threads.run_here([&] { threads.defer(deferred); }); }), pool);
    threads.run_soon(work_of([&] {
                       blocked.work()->run();
                       const bool here = threads.run_here([] {});
                       done.change([&](int& value) { value = here ? -1 : 1; });
                     }),
                     pool);
  });
  REQUIRE(blocked.await());
  leader();
  CHECK(deferred->times.wait([](int times) { return times == 1; }));  // by who leads now
  blocked.release();
  REQUIRE(done.wait([](int value) { return value != 0; }));
  CHECK(done.get() == 1);
}

TEST_CASE_METHOD(Relieving, "Many calls that block, one after the other, are each left behind") {
  std::vector<std::unique_ptr<Blocked>> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(std::make_unique<Blocked>());
    on_leader([&] { threads.run_soon(all.back()->work(), pool); });
    REQUIRE(all.back()->await());
    leader();
  }
  for (const auto& each : all) each->release();
  leader();
}

TEST_CASE_METHOD(Impatient, "The end does not wait for a call that blocks") {
  Blocked blocked;
  on_leader([&] { threads.run_soon(blocked.work(), pool); });
  REQUIRE(blocked.await());
  leader();
  io.stop();
  CHECK(ended.wait([](End end) { return end == End::kWithoutSome; }));
  blocked.release();
}

TEST_CASE("A context that has nothing left to do ends the run") {
  asio::io_context io{1};
  IoThreads threads(io);
  bool ran = false;
  asio::post(io, [&] { ran = true; });
  threads.run();
  CHECK(ran);
}

}  // namespace
}  // namespace longshore::endpoint
