// What is counted and said of modules that break the contract, and of those that are slow to live.
#include <catch2/catch.hpp>
#include <functional>
#include <thread>
#include <vector>

#include "hostile_world.h"

namespace longshore::hostile {
namespace {

using namespace std::chrono_literals;
using loader::LifecycleState;

// On a thread, and returns once the module has the call: until then a drain would end it on its
// way.
std::thread begin_call(std::function<void()> call) {
  const std::string taken = "has a call and forgets it";
  const size_t before = World::get().count_logged(taken);
  std::thread thread(std::move(call));
  REQUIRE(eventually([&] { return World::get().count_logged(taken) > before; }));
  return thread;
}

TEST_CASE("A second finish and a send after it are counted and named in the log") {
  Subject subject("finish_twice");
  subject.started().call();
  REQUIRE(eventually([&] { return subject.instance().figures().violations == 2; }));
  CHECK(subject.instance().figures().last_violation.ends_with(": the call is finished already"));
  CHECK(
      World::get().logged("the module breaks its contract module=finish_twice function=finish "
                          "reason=\"the call is finished already\""));
  CHECK(subject.stop() == "");
}

TEST_CASE("Handles that were never given are violations, one for each use") {
  Subject subject("stale_handles");
  CHECK(subject.started().call().message == "30 of 30");
  CHECK(subject.instance().figures().violations == 30);
  CHECK(
      World::get().logged("module=stale_handles function=grant "
                          "reason=\"there has been no such invocation\""));
  CHECK(
      World::get().logged("module=stale_handles function=call_info "
                          "reason=\"there has been no such call\""));
  CHECK(subject.stop() == "");
}

TEST_CASE("A second answer and null bytes are violations too") {
  Subject twice("second_answer");
  twice.started().call();
  CHECK(eventually([&] { return twice.instance().figures().violations == 1; }));
  CHECK(twice.stop() == "");
  Subject null("null_data");
  null.started().call();
  CHECK(eventually([&] { return null.instance().figures().violations > 0; }));
  CHECK(null.stop() == "");
}

TEST_CASE("A module that does as it should breaks nothing") {
  Subject subject("behaves");
  subject.started();
  for (int i = 0; i < 10; ++i) CHECK(subject.call().message == "well");
  CHECK(subject.instance().figures().violations == 0);
  CHECK(subject.instance().figures().last_violation == "");
  CHECK(subject.instance().figures().degraded == "");
  CHECK(subject.stop() == "");
}

TEST_CASE("An instance with a call that is stuck is degraded, and says for what") {
  Subject subject("never_finishes");
  subject.started().call({}, kTimeToReachModule);
  REQUIRE(eventually([&] { return subject.instance().figures().stuck == 1; }));
  CHECK(subject.instance().figures().degraded ==
        "1 call is stuck past the deadline; the device or server behind does not answer, or the "
        "module hangs");
  CHECK(subject.instance().figures().state == LifecycleState::kServing);
  CHECK(subject.stop(100ms) != "");
}

TEST_CASE("A create that hangs is left behind in time") {
  loader::InstanceOptions options;
  options.start_timeout = 200ms;
  const Error error = create_error("create_hangs", options);
  CHECK(error.code() == StatusCode::kDeadlineExceeded);
  CHECK(error.message().find("its create does not return") != std::string::npos);
}

TEST_CASE("Every step of a life is recorded with its time, up to its end") {
  Subject subject("behaves");
  const loader::Lifecycle& life = subject.instance().lifecycle();
  CHECK(life.state() == LifecycleState::kCreated);
  subject.started();
  CHECK(life.state() == LifecycleState::kServing);
  CHECK(subject.stop() == "");
  std::vector<LifecycleState> states;
  for (const auto& step : life.steps()) {
    states.push_back(step.state);
    CHECK(step.took >= 0ns);
  }
  CHECK(states == std::vector<LifecycleState>{LifecycleState::kFound, LifecycleState::kCreated,
                                              LifecycleState::kStarted, LifecycleState::kServing,
                                              LifecycleState::kDraining, LifecycleState::kStopped});
  CHECK(World::get().logged("module is stopped module=behaves"));
}

TEST_CASE("A drain waits for calls, and can be given up") {
  Subject subject("never_finishes");
  subject.started();
  std::thread calls([&] { subject.call({}, 2s); });
  REQUIRE(eventually([&] { return subject.instance().figures().running == 1; }));
  CHECK_FALSE(subject.instance().drain(router::Clock::now() + 50ms));
  CHECK(subject.instance().has_moved());
  CHECK(subject.instance().lifecycle().state() == LifecycleState::kDraining);
  subject.instance().resume();
  CHECK_FALSE(subject.instance().has_moved());
  CHECK(subject.instance().lifecycle().state() == LifecycleState::kServing);
  calls.join();
  REQUIRE(eventually([&] { return subject.instance().figures().stuck == 1; }));
  CHECK(subject.instance().drain(router::Clock::now() + 10s));  // one that is stuck is not awaited
  CHECK(subject.stop(100ms) != "");
}

TEST_CASE("A drain ends at once what is long_running, and waits for the rest") {
  Subject subject("never_finishes");
  subject.started();
  subject.make_long_running();
  Answer watch;
  std::thread calls = begin_call([&] { watch = subject.call({}, 1h); });
  CHECK_FALSE(subject.instance().drain(router::Clock::now() + 50ms));  // it does not finish it
  calls.join();
  CHECK(watch.code == StatusCode::kUnavailable);
  CHECK(watch.text == "the module never_finishes is draining");
  CHECK(subject.stop(100ms) != "");
}

TEST_CASE("A stream without a deadline is stuck when it is not finished after its reader went") {
  Subject subject("never_finishes");
  subject.started();
  subject.make_long_running();
  Answer watch;
  std::thread calls =
      begin_call([&] { watch = subject.call({}, std::chrono::nanoseconds::max()); });
  CHECK(subject.instance().drain(router::Clock::now() + 10s));  // which ends it
  calls.join();
  CHECK(watch.code == StatusCode::kUnavailable);
  CHECK(subject.instance().figures().stuck == 1);
  CHECK(subject.instance().figures().streams == 1);
  CHECK(subject.stop(100ms) != "");
}

TEST_CASE("Streams that are never finished take no thread of those that stand in for hung ones") {
  loader::InstanceOptions options;
  options.max_concurrent_calls = 1;
  options.max_stuck_calls = 1;
  Subject subject("forgets_or_hangs", options);
  subject.started();
  subject.make_long_running();
  subject.call("forget", kTimeToReachModule);
  REQUIRE(eventually([&] { return subject.instance().figures().stuck == 1; }));
  subject.make_long_running(false);
  subject.call("hang", kTimeToReachModule);
  REQUIRE(eventually([&] { return subject.instance().figures().stuck == 2; }));
  CHECK(subject.call("").message == "well");
  CHECK(subject.stop(100ms) != "");
}

TEST_CASE("Calls that get stuck by the hundred leave a few lines in the log") {
  constexpr uint64_t kCalls = 100;
  Subject subject("forgets_or_hangs");
  subject.started();
  subject.make_long_running();
  REQUIRE(eventually([&] {
    subject.call("forget", 2ms);
    return subject.instance().figures().stuck >= kCalls;
  }));
  const std::string line = "a call is stuck module=forgets_or_hangs";
  CHECK(World::get().logged(line));
  CHECK(World::get().count_logged(line) < kCalls / 2);
  CHECK(subject.stop(100ms) != "");
}

TEST_CASE("Stuck calls are counted by what they hang on, where the module says it") {
  loader::InstanceOptions options;
  options.max_stuck_calls = 1;
  Subject subject("hangs_on_key", options);
  subject.started();
  CHECK(subject.call("a: server 1", kTimeToReachModule).code == StatusCode::kDeadlineExceeded);
  REQUIRE(eventually([&] { return subject.instance().figures().stuck == 1; }));
  CHECK(subject.instance().figures().degraded ==
        "1 call is stuck past the deadline for \" server 1\"; the device or server behind does not "
        "answer, or the module hangs");
  CHECK(subject.call("b: server 1").text == "not again");
  CHECK(subject.call("c: server 2", kTimeToReachModule).code == StatusCode::kDeadlineExceeded);
  CHECK(subject.stop(100ms) != "");
}

TEST_CASE("A key that is too long is cut, and counted against the module") {
  Subject subject("hangs_on_key");
  subject.started();
  CHECK(subject.call("a:" + std::string(1 << 20, 'k'), kTimeToReachModule).code ==
        StatusCode::kDeadlineExceeded);
  REQUIRE(eventually([&] { return subject.instance().figures().stuck == 1; }));
  CHECK(subject.instance().figures().violations == 1);
  CHECK(subject.instance().figures().degraded.find('"' + std::string(128, 'k') + "...\"") !=
        std::string::npos);
  CHECK(subject.stop(100ms) != "");
}

}  // namespace
}  // namespace longshore::hostile
