// Calls that hang in the kernel, and who waits for them.
#include "support/abandonable_calls.h"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>

namespace longshore::support {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// An answer that comes when the test says so.
class HeldAnswer {
 public:
  std::error_code await() {
    std::unique_lock lock(mutex_);
    ++asked_;
    given_changed_.wait_for(lock, seconds(30), [&] { return given_; });
    return {};
  }
  void give() {
    const std::lock_guard lock(mutex_);
    given_ = true;
    given_changed_.notify_all();
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_changed_;
  bool given_ = false;
  int asked_ = 0;
};

std::error_code itself(const std::error_code& error) { return error; }

TEST_CASE("a bounded call has its own answer or failure") {
  AbandonableCalls<std::error_code> calls(4);
  const auto refuse = [] { return std::make_error_code(std::errc::connection_refused); };
  CHECK(calls.run("x", {}, refuse, itself) == std::errc::connection_refused);
  const auto broken = []() -> std::error_code { throw std::runtime_error("broken"); };
  CHECK_THROWS_WITH(calls.run("x", {}, broken, itself), "broken");
  CHECK(calls.count() == 0);
}

TEST_CASE("a call that hangs is given up, and nobody hangs with it") {
  HeldAnswer answer;
  AbandonableCalls<std::error_code> calls(4);
  const auto hang = [&] { return answer.await(); };
  const auto live = [] { return std::error_code(); };
  CHECK(calls.run("dead", Deadline().within(milliseconds(1)), hang, itself) ==
        std::errc::timed_out);
  // One thread hangs, not one for each who asks; and others are answered.
  CHECK(calls.run("dead", {}, hang, itself) == std::errc::connection_already_in_progress);
  CHECK(calls.run("dead", {}, hang, itself) == std::errc::connection_already_in_progress);
  CHECK(answer.asked() <= 1);
  CHECK_FALSE(calls.run("alive", {}, live, itself));
  CHECK(calls.count() == 1);
  answer.give();
  // What hung is over, and whoever asks next clears it away.
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  while (calls.count() != 0 && std::chrono::steady_clock::now() < end) {
    CHECK_FALSE(calls.run("alive", {}, live, itself));
  }
  CHECK(calls.count() == 0);
  CHECK_FALSE(calls.run("dead", {}, hang, itself));
  CHECK(answer.asked() == 2);
}

TEST_CASE("who comes while somebody waits for the same key has the next turn, in his own time") {
  HeldAnswer answer;
  AbandonableCalls<std::error_code> calls(4);
  std::thread first([&] {
    static_cast<void>(calls.run(
        "name", {}, [&] { return answer.await(); }, itself));
  });
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  while (answer.asked() == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  const auto live = [] { return std::make_error_code(std::errc::connection_refused); };
  CHECK(calls.run("name", Deadline().within(milliseconds(1)), live, itself) ==
        std::errc::timed_out);
  std::error_code second;
  std::thread other([&] { second = calls.run("name", {}, live, itself); });
  answer.give();
  first.join();
  other.join();
  CHECK(second == std::errc::connection_refused);
  CHECK(calls.count() == 0);
}

TEST_CASE("many keys do not get a thread each while all of them hang") {
  HeldAnswer answer;
  AbandonableCalls<std::error_code> calls(4);
  const auto hang = [&] { return answer.await(); };
  const auto over = Deadline().within(milliseconds(1));
  for (int i = 0; i < 4; ++i) {
    CHECK(calls.run("host" + std::to_string(i), over, hang, itself) == std::errc::timed_out);
  }
  CHECK(calls.run("one more", {}, hang, itself) == std::errc::resource_unavailable_try_again);
  CHECK(calls.count() == 4);
  answer.give();
}

TEST_CASE("a call that nobody wants any more is given up, though it has no deadline") {
  HeldAnswer answer;
  AbandonableCalls<std::error_code> calls(4);
  const auto hang = [&] { return answer.await(); };
  const Deadline deadline{.cancelled = [&] { return answer.asked() > 0; }};
  CHECK(calls.run("dead", deadline, hang, itself) == std::errc::timed_out);
  CHECK(calls.count() == 1);
  answer.give();
}

TEST_CASE("what comes too late and what the call held are let go") {
  HeldAnswer answer;
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> given = held;
  {
    AbandonableCalls<std::shared_ptr<int>> calls(4);
    const auto late = calls.run(
        "dead", Deadline().within(milliseconds(1)),
        [&answer, kept = std::move(held)] {
          answer.await();
          return kept;
        },
        [](const std::error_code&) { return nullptr; });
    CHECK_FALSE(late);
    CHECK_FALSE(given.expired());
    answer.give();
    const auto end = std::chrono::steady_clock::now() + seconds(30);
    while (!given.expired() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    CHECK(given.expired());
  }
}

}  // namespace
}  // namespace longshore::support
