// Who gets a place of a module's next, and which places calls take that wait in its process.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loader/admission.h"
#include "observe/log.h"
#include "router/router.h"
#include "tests/unit/router/test_target.h"

namespace longshore::loader {
namespace {

using SharedCall = std::shared_ptr<router::Call>;

// Calls that nobody runs: a test says what becomes of them.
struct Places {
  explicit Places(size_t concurrent, size_t queued) {
    options.max_concurrent_calls = concurrent;
    options.max_queued_calls = queued;
    method->full_name = "acme.v1.Gate/Enter";
  }
  // As an instance does with its calls; what waits holds itself.
  ~Places() {
    for (const SharedCall& call : calls) {
      call->cancel();
      if (made) made->end(*call, false);
    }
  }

  Admission& admission() {
    if (!made) {
      made = std::make_unique<Admission>(options, lifecycle);
      made->open();
    }
    return *made;
  }
  SharedCall make_call() {
    router::CallRequest request;
    auto caller = std::make_shared<router::Caller>(router::Caller{"test", "test", nullptr});
    caller->flow = flow;
    caller->has_account = has_account;
    request.caller = std::move(caller);
    request.request = bytes;
    request.observer = std::make_shared<router::Recorder>();
    calls.push_back(router.call_directly(target, method, std::move(request)));
    return calls.back();
  }
  SharedCall admit(Admission::Place expected) {
    SharedCall call = make_call();
    const auto place = admission().admit(call, *target);
    REQUIRE(place);
    CHECK(*place == expected);
    return call;
  }
  SharedCall run(const std::string& key = {}) {
    SharedCall call = admit(Admission::Place::kRuns);
    if (!key.empty())
      CHECK(admission().set_bulkhead(*call, key).entry == Admission::Entry::kEntered);
    return call;
  }
  // One that its module gives back.
  SharedCall wait_behind(const std::string& key) {
    SharedCall call = admit(Admission::Place::kRuns);
    CHECK(admission().set_bulkhead(*call, key).entry == Admission::Entry::kWaits);
    admission().wait_again(call);
    return call;
  }
  SharedCall next() {
    auto turn = admission().first_turn();
    if (!turn.call) turn = admission().next_turn();  // it is this thread that starts them
    return turn.call;
  }

  // Of the calls that are made from now on.
  uint64_t flow = 0;
  bool has_account = true;
  std::string bytes;
  InstanceOptions options;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  Lifecycle lifecycle{"gate", *log};
  router::Timers timers;
  router::Router router{timers, {}};
  const std::shared_ptr<router::TestTarget> target = std::make_shared<router::TestTarget>();
  const std::shared_ptr<router::Method> method = std::make_shared<router::Method>();
  std::unique_ptr<Admission> made;
  std::vector<SharedCall> calls;
};

TEST_CASE("Who came first gets the next place, however busy the bulkheads of others are") {
  Places places(5, 8);  // two of a bulkhead
  const SharedCall x = places.run("x");
  places.run("x");
  places.run("y");
  places.run("y");
  const SharedCall next_x = places.wait_behind("x");
  places.run();
  const SharedCall other = places.admit(Admission::Place::kWaits);
  places.admission().end(*x, true);
  CHECK(places.next() == other);
  CHECK(places.next() == nullptr);
  CHECK(places.admission().figures().waiting == 1);
  places.admission().end(*other, true);
  CHECK(places.next() == next_x);
}

TEST_CASE("A caller with thousands of calls delays another's by one") {
  Places places(1, 5000);
  SharedCall running = places.run();
  places.flow = 1;
  std::vector<SharedCall> many;
  for (int i = 0; i < 3000; ++i) many.push_back(places.admit(Admission::Place::kWaits));
  places.flow = 2;
  const SharedCall single = places.admit(Admission::Place::kWaits);
  std::vector<SharedCall> begun;
  while (begun.size() < 5) {
    places.admission().end(*running, true);
    begun.push_back(running = places.next());
  }
  CHECK(begun == std::vector{many[0], single, many[1], many[2], many[3]});
}

TEST_CASE("Behind a bulkhead callers take turns too") {
  Places places(4, 5000);  // two of a bulkhead
  places.flow = 1;
  const SharedCall running = places.run("x");
  places.run("x");
  std::vector<SharedCall> many;
  for (int i = 0; i < 1000; ++i) many.push_back(places.wait_behind("x"));
  places.flow = 2;
  const SharedCall single = places.wait_behind("x");
  places.admission().end(*running, true);
  CHECK(places.next() == many[0]);
  places.admission().end(*many[0], true);
  CHECK(places.next() == single);
  places.admission().end(*single, true);
  CHECK(places.next() == many[1]);
}

TEST_CASE("What a caller has waiting behind a bulkhead takes no turn from its other calls") {
  Places places(4, 5000);  // two of a bulkhead
  places.flow = 1;
  std::vector<SharedCall> running;
  for (int i = 0; i < 4; ++i) running.push_back(places.run());
  std::vector<SharedCall> waiting;
  for (int i = 0; i < 6; ++i) waiting.push_back(places.admit(Admission::Place::kWaits));
  places.flow = 2;
  const SharedCall other = places.admit(Admission::Place::kWaits);
  for (const SharedCall& each : {running[0], running[1]}) {
    CHECK(places.admission().set_bulkhead(*each, "x").entry == Admission::Entry::kEntered);
  }
  places.admission().end(*running[2], true);
  CHECK(places.next() == waiting[0]);
  places.admission().end(*running[3], true);
  CHECK(places.next() == other);
  places.admission().end(*other, true);
  CHECK(places.next() == waiting[1]);
}

TEST_CASE("Who comes while another waits for a free place does not overtake it") {
  Places places(1, 8);
  const SharedCall first = places.run();
  const SharedCall second = places.admit(Admission::Place::kWaits);
  places.admission().end(*first, true);
  const SharedCall third = places.admit(Admission::Place::kWaits);
  CHECK(places.next() == second);
  places.admission().end(*second, true);
  CHECK(places.next() == third);
}

TEST_CASE("Calls that are ended while they wait leave their places in the queue to others") {
  Places places(1, 2);
  places.run();
  const SharedCall second = places.admit(Admission::Place::kWaits);
  const SharedCall third = places.admit(Admission::Place::kWaits);
  CHECK_FALSE(places.admission().admit(places.make_call(), *places.target));
  places.admission().end(*second, false);
  places.admission().end(*third, false);
  CHECK(places.admission().figures().waiting == 0);
  for (int i = 0; i < 2; ++i) places.admit(Admission::Place::kWaits);
}

TEST_CASE("Callers without an account may have so many bytes waiting, and those with one go on") {
  Places places(2, 5000);  // one of a bulkhead
  places.options.max_queued_bytes = 100000;
  places.has_account = false;
  const SharedCall running = places.run("x");
  const SharedCall behind = places.admit(Admission::Place::kRuns);
  places.bytes = std::string(60000, 'x');
  const SharedCall first = places.admit(Admission::Place::kWaits);
  places.admit(Admission::Place::kWaits);
  const auto refused = places.admission().admit(places.make_call(), *places.target);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kResourceExhausted);
  CHECK_THAT(refused.error().message(), Catch::Contains("with more bytes of callers in the agent"));
  CHECK(places.admission().set_bulkhead(*behind, "x").entry == Admission::Entry::kIsCrowded);
  places.has_account = true;
  places.admit(Admission::Place::kWaits);
  // What has its turn, or has ended, holds none of them.
  places.has_account = false;
  places.admission().end(*running, true);
  CHECK(places.next() == first);
  places.admit(Admission::Place::kWaits);
}

TEST_CASE("A call that waits in its module's process leaves its place, if the queue is full too") {
  Places places(1, 1);
  const SharedCall first = places.run();
  const SharedCall second = places.admit(Admission::Place::kWaits);
  CHECK_FALSE(places.admission().admit(places.make_call(), *places.target));
  places.admission().give_up_place(*first, "server");
  CHECK(places.next() == second);
  places.admission().give_up_place(*second, "server");  // nobody is there to take it
  CHECK(places.admission().figures().running == 1);
  places.admission().end(*first, true);
  places.admission().end(*second, true);
  CHECK(places.admission().figures().running == 0);
  CHECK(places.admission().figures().waiting == 0);
}

TEST_CASE("A call that has waited in its module's process counts as running again") {
  Places places(1, 2);
  const SharedCall call = places.run("object");
  places.admission().give_up_place(*call, "server");
  CHECK(places.admission().waits_behind(*call) == "server");
  CHECK(places.admission().figures().running == 0);
  CHECK(places.admission().figures().waiting == 1);
  for (int i = 0; i < 2; ++i) places.admission().take_place_again(*call);
  CHECK(places.admission().waits_behind(*call).empty());
  CHECK(places.admission().figures().running == 1);
  CHECK(places.admission().figures().waiting == 0);
  const SharedCall next = places.admit(Admission::Place::kWaits);
  places.admission().take_place_again(*next);  // it has had none
  CHECK(places.admission().figures().waiting == 1);
  places.admission().end(*call, true);
  places.admission().end(*next, true);
  CHECK(places.admission().figures().running == 0);
}

TEST_CASE("A process that says of a stream that it waits changes no figure") {
  Places places(1, 1);
  places.method->long_running = GENERATE(true, false);
  places.method->server_streaming = true;
  const SharedCall stream = places.run();
  places.admission().give_up_place(*stream, "server");
  CHECK(places.admission().figures().running == 1);
  CHECK(places.admission().figures().waiting == 0);
  places.admission().leave(*stream);
  places.admission().end(*stream, true);
  CHECK(places.admission().figures().running == 0);
  places.run();
}

TEST_CASE("Where nobody may wait behind a bulkhead, more for it are refused") {
  Places places(4, 8);
  places.options.max_queued_calls_per_bulkhead = 0;
  places.run("x");
  places.run("x");
  const SharedCall third = places.admit(Admission::Place::kRuns);
  CHECK(places.admission().set_bulkhead(*third, "x").entry == Admission::Entry::kIsCrowded);
}

}  // namespace
}  // namespace longshore::loader
