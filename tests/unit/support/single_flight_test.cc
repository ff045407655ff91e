#include "longshore/single_flight.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <stdexcept>

#include "tests/support/outcome.h"

namespace longshore::support {
namespace {

using test::outcome;
using Mutation = std::function<Result<void>()>;

constexpr std::chrono::seconds kPatience{30};

void wait_for(const std::shared_future<void>& event) {
  if (event.wait_for(kPatience) != std::future_status::ready) {
    throw std::runtime_error("what the test waits for does not come");
  }
}

// "partition disk 1", on a thread of its own, from the constructor until it is let go.
class HeldMutation {
 public:
  HeldMutation(SingleFlight& mutations, Mutation ends_with)
      : ends_with_(std::move(ends_with)),
        outcome_(std::async(std::launch::async, [this, &mutations] {
          return mutations.run("disk 1", "partition disk 1", "first", {},
                               [this] { return hold(); });
        })) {
    wait_for(begun_.get_future().share());
  }
  HeldMutation(const HeldMutation&) = delete;
  HeldMutation& operator=(const HeldMutation&) = delete;
  ~HeldMutation() { let_go(); }

  void let_go() {
    if (!let_go_) freed_.set_value();
    let_go_ = true;
  }
  // What its own caller gets.
  Result<void> outcome() { return outcome_.get(); }

 private:
  Result<void> hold() {
    begun_.set_value();
    wait_for(freed_future_);
    return ends_with_();
  }

  Mutation ends_with_;
  bool let_go_ = false;
  std::promise<void> begun_;
  std::promise<void> freed_;
  std::shared_future<void> freed_future_ = freed_.get_future().share();
  std::future<Result<void>> outcome_;  // last: its thread uses the others
};

// A second request for the same, on a thread of its own; constructed when it waits.
class Joiner {
 public:
  explicit Joiner(SingleFlight& mutations)
      : outcome_(std::async(std::launch::async, [this, &mutations] {
          const Deadline deadline{Deadline::Clock::time_point::max(), [this] { return look(); }};
          return mutations.run("disk 1", "partition disk 1", "second", deadline, [this] {
            ++ran_;
            return Result<void>();
          });
        })) {
    wait_for(waits_.get_future().share());
  }

  Result<void> outcome() { return outcome_.get(); }
  int ran() const { return ran_; }

 private:
  bool look() {
    if (!looked_.exchange(true)) waits_.set_value();
    return false;
  }

  std::atomic<bool> looked_ = false;
  std::atomic<int> ran_ = 0;
  std::promise<void> waits_;
  std::future<Result<void>> outcome_;  // last: its thread uses the others
};

Result<void> succeed() { return {}; }

Result<void> fail_with(StatusCode code) {
  return Error(code, "partition disk 1").because("reason");
}

std::string outcome_of_other(SingleFlight& mutations) {
  return outcome(mutations.run("disk 1", "take disk 1 offline", "other", {}, succeed));
}

TEST_CASE("who asks for what is running gets its result") {
  SingleFlight mutations;
  const auto result = GENERATE(Result<void>(), fail_with(StatusCode::kFailedPrecondition));
  HeldMutation held(mutations, [&] { return result; });
  Joiner joiner(mutations);
  held.let_go();
  CHECK(outcome(held.outcome()) == outcome(result));
  CHECK(outcome(joiner.outcome()) == outcome(result));
  CHECK(joiner.ran() == 0);
}

TEST_CASE("who asks for something else is told what is running") {
  SingleFlight mutations;
  const HeldMutation held(mutations, succeed);
  bool ran = false;
  const Result<void> refused = mutations.run("disk 1", "take disk 1 offline", "other", {}, [&] {
    ran = true;
    return Result<void>();
  });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kAborted);
  CHECK(refused.error().message() ==
        "cannot take disk 1 offline: the request \"first\" is at work on disk 1: partition disk 1; "
        "repeat the call when that has ended");
  CHECK_FALSE(ran);
}

TEST_CASE("a deadline and a cancellation free who waits and not the object") {
  SingleFlight mutations;
  HeldMutation held(mutations, succeed);
  Deadline late;
  late.time = Deadline::Clock::now() + std::chrono::milliseconds(10);
  Deadline cancelled;
  cancelled.cancelled = [] { return true; };
  const auto join = [&](const Deadline& deadline) {
    return outcome(mutations.run("disk 1", "partition disk 1", "second", deadline, succeed));
  };
  CHECK(join(late) == "DEADLINE_EXCEEDED");
  CHECK(join(late) == "DEADLINE_EXCEEDED");
  CHECK(join(cancelled) == "CANCELLED");
  CHECK(outcome_of_other(mutations) == "ABORTED");
  held.let_go();
  CHECK(outcome(held.outcome()) == "OK");
  CHECK(outcome_of_other(mutations) == "OK");
}

TEST_CASE("what the first request's deadline ended is begun anew by who waited") {
  SingleFlight mutations;
  const auto code = GENERATE(StatusCode::kCancelled, StatusCode::kDeadlineExceeded);
  HeldMutation held(mutations, [&] { return fail_with(code); });
  Joiner joiner(mutations);
  held.let_go();
  CHECK(outcome(held.outcome()) == status_code_name(code));
  CHECK(outcome(joiner.outcome()) == "OK");
  CHECK(joiner.ran() == 1);
}

TEST_CASE("different objects do not wait for each other, one within the other neither") {
  SingleFlight mutations;
  const HeldMutation held(mutations, succeed);
  const auto nested = [&] { return mutations.run("disk 3", "nested", "inner", {}, succeed); };
  CHECK(outcome(mutations.run("disk 2", "partition disk 2", "second", {}, succeed)) == "OK");
  CHECK(outcome(mutations.run("disk 2", "partition disk 2", "third", {}, nested)) == "OK");
}

TEST_CASE("who waits for a turn joins nothing and runs afterwards") {
  SingleFlight mutations;
  HeldMutation held(mutations, [] { return fail_with(StatusCode::kFailedPrecondition); });
  std::promise<void> waits;
  std::atomic<bool> looked = false;
  const Deadline deadline{.cancelled = [&] {
    if (!looked.exchange(true)) waits.set_value();
    return false;
  }};
  auto second = std::async(std::launch::async, [&] {
    return mutations.run_in_turn("disk 1", "partition disk 1", "second", deadline, kPatience,
                                 succeed);
  });
  wait_for(waits.get_future().share());
  held.let_go();
  CHECK(outcome(held.outcome()) == "FAILED_PRECONDITION");
  CHECK(outcome(second.get()) == "OK");
}

TEST_CASE(
    "a turn that does not come ends with what is running, or with the caller's own deadline") {
  SingleFlight mutations;
  HeldMutation held(mutations, succeed);
  const auto in_turn = [&](const Deadline& deadline) {
    return mutations.run_in_turn("disk 1", "partition disk 1", "second", deadline,
                                 std::chrono::milliseconds(1), succeed);
  };
  const Result<void> refused = in_turn({});
  CHECK(outcome(refused) == "ABORTED");
  CHECK_THAT(refused.error().message(), Catch::Contains("\"first\" is at work on disk 1"));
  CHECK(outcome(in_turn({Deadline::Clock::now(), {}})) == "DEADLINE_EXCEEDED");
  CHECK(outcome(in_turn({.cancelled = [] { return true; }})) == "CANCELLED");
  CHECK(outcome(mutations.run_in_turn("disk 2", "partition disk 2", "other", {}, kPatience,
                                      succeed)) == "OK");
}

TEST_CASE("after its end the next one runs anew") {
  SingleFlight mutations;
  int ran = 0;
  const auto count = [&] { return ++ran == 1 ? fail_with(StatusCode::kInternal) : Result<void>(); };
  CHECK(outcome(mutations.run("disk 1", "partition disk 1", "a", {}, count)) == "INTERNAL");
  CHECK(outcome(mutations.run("disk 1", "partition disk 1", "b", {}, count)) == "OK");
  CHECK(outcome_of_other(mutations) == "OK");
  CHECK(ran == 2);
}

TEST_CASE("a mutation that throws frees the object and those who wait") {
  SingleFlight mutations;
  HeldMutation held(mutations, []() -> Result<void> { throw std::logic_error("a defect"); });
  Joiner joiner(mutations);
  held.let_go();
  CHECK_THROWS_AS(held.outcome(), std::logic_error);
  const Result<void> joined = joiner.outcome();
  REQUIRE_FALSE(joined);
  CHECK(joined.error().code() == StatusCode::kInternal);
  CHECK_THAT(joined.error().message(), Catch::Contains("\"first\""));
  CHECK(outcome_of_other(mutations) == "OK");
}

}  // namespace
}  // namespace longshore::support
