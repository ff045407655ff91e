// Calls on the thread that reads requests, and what happens when one of them blocks.
#include "endpoint/io_threads.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

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
  std::thread::id thread_of_call() {
    Watched<std::thread::id> id;
    on_leader([&] {
      threads.run_soon(
          work_of([&] { id.change([](auto& value) { value = std::this_thread::get_id(); }); }),
          pool);
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

TEST_CASE_METHOD(Patient, "Calls from other threads are run as well, though nothing else happens") {
  for (int i = 0; i < 20; ++i) {
    Watched<bool> done;
    threads.run_soon(work_of([&] { done.change([](bool& value) { value = true; }); }), pool);
    REQUIRE(done.wait([](bool value) { return value; }));
  }
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

TEST_CASE_METHOD(Impatient, "After a call that blocked, calls go to the pools") {
  Blocked blocked;
  on_leader([&] { threads.run_soon(blocked.work(), pool); });
  REQUIRE(blocked.await());
  const auto second = leader();
  CHECK(thread_of_call() != second);
  blocked.release();
}

TEST_CASE_METHOD(Forgiving, "After a while without such calls, the leader runs them again") {
  Blocked blocked;
  on_leader([&] { threads.run_soon(blocked.work(), pool); });
  REQUIRE(blocked.await());
  leader();
  blocked.release();
  const auto deadline = router::Clock::now() + 30s;
  bool again = false;
  while (!again && router::Clock::now() < deadline) again = thread_of_call() == leader();
  CHECK(again);
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
