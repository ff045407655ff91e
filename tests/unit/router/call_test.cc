#include "router/call.h"

#include <catch2/catch.hpp>
#include <thread>

#include "held_timers.h"
#include "test_target.h"

namespace longshore::router {
namespace {

using namespace std::chrono_literals;

struct CallFixture {
  std::shared_ptr<Call> call(bool stream = false, std::chrono::nanoseconds timeout = 1h,
                             std::shared_ptr<Call> parent = nullptr) {
    auto method = std::make_shared<Method>();
    method->timeout = configured;
    method->full_name = "test.Service/Do";
    method->server_streaming = stream;
    CallRequest request;
    request.caller = std::make_shared<Caller>(Caller{"uid:0", "uid:0", nullptr});
    request.timeout = timeout;
    request.observer = observer = std::make_shared<Recorder>();
    request.parent = std::move(parent);
    return router.call_directly(target, method, std::move(request));
  }

  // As the host bridge ends a call for the module.
  void finish(const std::shared_ptr<Call>& call, StatusCode code, std::string text = {}) {
    call->finish(code, std::move(text));
  }

  Timers timers;
  Router router{timers, {.default_timeout = 1h, .max_message_bytes = 100}};
  std::shared_ptr<TestTarget> target = std::make_shared<TestTarget>();
  std::shared_ptr<Recorder> observer;
  std::optional<std::chrono::nanoseconds> configured;
};

TEST_CASE_METHOD(CallFixture, "A unary call ends with its answer, once") {
  const auto it = call();
  CHECK(router.calls().find(it->handle()) == it);
  it->run();
  CHECK(target->count("execute") == 1);
  CHECK(it->send("answer") == LONGSHORE_OK);
  CHECK(observer->received.get().outcomes.empty());
  finish(it, StatusCode::kOk);
  CHECK(observer->code() == StatusCode::kOk);
  CHECK(observer->received.get().messages == std::vector<std::string>{"answer"});
  CHECK(target->count("end") == 1);
  CHECK(it->state() == LONGSHORE_STALE);
  CHECK(it->send("more") == LONGSHORE_STALE);
  it->cancel();
  CHECK(observer->received.get().outcomes.size() == 1);
  CHECK(target->count("cancel") == 0);
}

TEST_CASE_METHOD(CallFixture, "An answer is not told when the call ends with an error") {
  const auto it = call();
  it->run();
  CHECK(it->send("answer") == LONGSHORE_OK);
  finish(it, StatusCode::kNotFound, "no such disk");
  CHECK(observer->code() == StatusCode::kNotFound);
  CHECK(observer->text() == "no such disk");
  CHECK(observer->received.get().messages.empty());
}

TEST_CASE_METHOD(CallFixture,
                 "A call that is late is told whether it is the caller who was in a hurry") {
  const auto run_late = [&](std::chrono::nanoseconds timeout) {
    const HeldTimers held(timers);
    call(false, timeout)->run();
  };
  run_late(1ms);
  REQUIRE(observer->await());
  CHECK(observer->text() ==
        "the deadline passed before the call was finished; it may still take effect");
  configured = 1ms;
  run_late(1h);
  REQUIRE(observer->await());
  CHECK(observer->text() ==
        "the configured time limit passed before the call was finished; it may still take effect");
}

TEST_CASE_METHOD(CallFixture, "A call that its target refuses ends with the target's words") {
  target->refuses = true;
  const auto it = call();
  CHECK(observer->code() == StatusCode::kUnavailable);
  CHECK(observer->text() == "cannot take the call: full");
  CHECK(router.calls().size() == 0);
  CHECK(target->count("end") == 0);
}

TEST_CASE_METHOD(CallFixture, "A call that is cancelled in the queue never begins") {
  const auto it = call();
  it->cancel();
  CHECK(observer->code() == StatusCode::kCancelled);
  CHECK(target->count("end") == 1);
  CHECK(target->count("cancel") == 0);
  CHECK(router.calls().size() == 0);
  it->run();
  CHECK(target->count("execute") == 0);
}

TEST_CASE_METHOD(CallFixture,
                 "A running call that is cancelled keeps its slot until it is finished") {
  const auto it = call();
  it->run();
  it->cancel();
  it->cancel();
  CHECK(observer->code() == StatusCode::kCancelled);
  CHECK(target->count("cancel") == 1);
  CHECK(it->state() == LONGSHORE_CANCELLED);
  CHECK(it->send("late") == LONGSHORE_CANCELLED);
  CHECK(target->count("end") == 0);
  finish(it, StatusCode::kOk);
  CHECK(target->count("end") == 1);
  CHECK(observer->received.get().outcomes.size() == 1);
  CHECK(observer->received.get().messages.empty());
}

TEST_CASE_METHOD(CallFixture, "The deadline answers, and after the grace time the call is stuck") {
  HeldTimers held(timers);
  const auto it = call(false, 20ms);
  it->run();
  held.release();
  REQUIRE(observer->await());
  CHECK(observer->code() == StatusCode::kDeadlineExceeded);
  CHECK(target->await("cancel"));
  CHECK(target->count("stuck") == 0);
  REQUIRE(target->await("stuck"));
  CHECK(Clock::now() >= it->deadline() + 1s);
  finish(it, StatusCode::kOk);
  CHECK(target->count("end") == 1);
  CHECK(target->count("stuck") == 1);
}

TEST_CASE_METHOD(CallFixture, "The deadline ends a call that waits in the queue") {
  const auto it = call(false, 20ms);
  REQUIRE(target->await("end"));
  CHECK(observer->code() == StatusCode::kDeadlineExceeded);
  it->run();
  CHECK(target->count("execute") == 0);
}

TEST_CASE_METHOD(CallFixture, "A stream without room blocks its sender until there is some") {
  const auto it = call(true);
  it->run();
  CHECK(it->send("1") == LONGSHORE_OK);
  CHECK(it->send("2") == LONGSHORE_OK);
  observer->has_room = false;
  CHECK(it->send("3") == LONGSHORE_OK);
  CHECK(it->send("4") == LONGSHORE_WOULD_BLOCK);
  CHECK(it->send("4") == LONGSHORE_WOULD_BLOCK);
  CHECK(target->count("writable") == 0);
  observer->has_room = true;
  it->resume();
  CHECK(target->count("writable") == 1);
  CHECK(it->send("4") == LONGSHORE_OK);
  it->resume();
  CHECK(target->count("writable") == 1);
  finish(it, StatusCode::kAborted, "enough");
  CHECK(observer->received.get().messages == std::vector<std::string>{"1", "2", "3", "4"});
  CHECK(observer->code() == StatusCode::kAborted);
}

TEST_CASE_METHOD(CallFixture, "Messages over the limit end the call, those at the limit do not") {
  const auto it = call(true);
  it->run();
  CHECK(it->send(std::string(100, 'x')) == LONGSHORE_OK);
  CHECK(it->send(std::string(101, 'x')) == LONGSHORE_REFUSED);
  CHECK(observer->code() == StatusCode::kResourceExhausted);
  CHECK(target->count("cancel") == 1);
  finish(it, StatusCode::kOk);
  CHECK(observer->received.get().outcomes.size() == 1);
}

TEST_CASE_METHOD(CallFixture,
                 "A message that the observer refuses ends the call where it is sent") {
  const auto it = call(true);
  it->run();
  CHECK(it->send("1") == LONGSHORE_OK);
  observer->has_room = false;
  observer->refuses_with = Error::of_text(StatusCode::kResourceExhausted, "nobody reads");
  CHECK(it->send("2") == LONGSHORE_CANCELLED);
  CHECK(observer->code() == StatusCode::kResourceExhausted);
  CHECK(observer->text() == "nobody reads");
  CHECK(target->count("cancel") == 1);
  CHECK(it->send("3") == LONGSHORE_CANCELLED);
  finish(it, StatusCode::kOk);
  CHECK(observer->received.get().outcomes.size() == 1);
}

TEST_CASE_METHOD(CallFixture,
                 "A call that is cancelled takes its children along, and no new ones") {
  const auto parent = call(false, 1h);
  parent->run();
  const auto parent_observer = observer;
  const auto child = call(false, 1h, parent);
  child->run();
  const auto grandchild = call(false, 1h, child);
  const auto grandchild_observer = observer;
  parent->cancel();
  CHECK(parent_observer->code() == StatusCode::kCancelled);
  CHECK(child->state() == LONGSHORE_CANCELLED);
  CHECK(grandchild_observer->code() == StatusCode::kCancelled);
  CHECK_FALSE(call(false, 1h, parent));
  CHECK(observer->code() == StatusCode::kCancelled);
  CHECK(observer->text() == "the call that it belongs to is over");
}

TEST_CASE_METHOD(CallFixture, "Whoever is first decides the one outcome that is told") {
  for (size_t round = 0; round < 300; ++round) {
    const auto it = call(false, std::chrono::microseconds(round));
    std::thread module([&] {
      it->run();
      it->send("answer");
      finish(it, StatusCode::kOk);
    });
    std::thread caller([&] { it->cancel(); });
    module.join();
    caller.join();
    // The deadline may have been first, on a thread that is telling it still.
    REQUIRE(observer->await());
    REQUIRE(target->await("end", round + 1));
    REQUIRE(observer->received.get().outcomes.size() == 1);
  }
  CHECK(target->count("end") == 300);
  CHECK(router.calls().size() == 0);
}

}  // namespace
}  // namespace longshore::router
