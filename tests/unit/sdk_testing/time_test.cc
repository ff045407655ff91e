// The clock of the fake host: nothing passes unless the test says so.
#include <catch2/catch.hpp>

#include "tests/unit/sdk_testing/echo_module.h"
#include "tests/unit/sdk_testing/liar.h"

namespace longshore::testing {
namespace {

using namespace echo::v1;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("a posted function runs when its time has come, and not before") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  auto call = host.begin(echo_method("WaitAsync"), wait_request(50));
  host.advance(milliseconds(49));
  CHECK_FALSE(call.finished());
  host.advance(milliseconds(1));
  REQUIRE(call.finished());
  CHECK_FALSE(call.wait<WaitResponse>()->cancelled());
}

TEST_CASE("what is posted without delay runs while somebody waits for it") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  CHECK(host.call<WaitResponse>(echo_method("WaitAsync"), wait_request(0)).ok());

  auto call = host.begin(echo_method("WaitAsync"), wait_request(0));
  CHECK_FALSE(call.finished());
  CHECK(host.run_posts() == 1);
  CHECK(call.finished());
  CHECK(host.run_posts() == 0);
}

TEST_CASE("a call that waits for a posted function can end early") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  auto call = host.begin(echo_method("WaitAsync"), wait_request(50));
  call.cancel();
  REQUIRE(call.finished());
  CHECK(call.wait<WaitResponse>()->cancelled());
  host.advance(milliseconds(50));  // what was posted finds nothing
  CHECK(host.end().empty());
}

TEST_CASE("a deadline cancels a call") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  auto call =
      host.begin_on_thread(echo_method("Wait"), wait_request(3'600'000), {.timeout = seconds(5)});
  host.advance(seconds(4));
  CHECK_FALSE(call.finished());
  host.advance(seconds(1));
  CHECK(call.wait<WaitResponse>()->cancelled());
}

// A posted function that says when it ran, and may post another.
struct Posted {
  const Liar& liar;
  std::vector<int>& order;
  int number;
  Posted* next = nullptr;

  static void run(void* user, longshore_result) {
    const auto& self = *static_cast<Posted*>(user);
    self.order.push_back(self.number);
    if (self.next) self.liar.post(seconds(1), &run, self.next);
  }
};

TEST_CASE("posted functions run in the order of their times, and those they post in turn") {
  std::vector<int> order;
  Liar liar;
  Posted third{liar, order, 3};
  Posted second{liar, order, 2};
  Posted first{liar, order, 1, &second};
  liar.on_invoke = [&](longshore_call call) {
    liar.post(seconds(3), &Posted::run, &third);
    liar.post(seconds(1), &Posted::run, &first);
    liar.answer(call);
  };
  FakeHost host(liar.entry());
  REQUIRE(host.start().ok());
  REQUIRE(host.call<SayResponse>(echo_method("Say"), say_request("")).ok());
  host.advance(seconds(10));
  CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("what is posted for later is told when there is no later") {
  longshore_result told = LONGSHORE_OK;
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    liar.post(
        seconds(3600),
        [](void* user, longshore_result answer) { *static_cast<longshore_result*>(user) = answer; },
        &told);
    liar.answer(call);
  };
  FakeHost host(liar.entry());
  REQUIRE(host.start().ok());
  REQUIRE(host.call<SayResponse>(echo_method("Say"), say_request("")).ok());
  REQUIRE(host.stop().ok());
  CHECK(told == LONGSHORE_CANCELLED);
}

}  // namespace
}  // namespace longshore::testing
