// Calls of an embedded agent: waited for, started, streamed, cancelled, refused.
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <thread>
#include <vector>

#include "tests/embed/embedded.h"

namespace longshore::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kLong = 60s;  // what must not pass in these tests

template <typename Value>
Value awaited(std::future<Value>& future) {
  if (future.wait_for(kLong) != std::future_status::ready) throw std::runtime_error("no outcome");
  return future.get();
}

// A started call and what it is told.
struct Started {
  std::promise<Result<echo::WaitResponse>> promise;
  std::future<Result<echo::WaitResponse>> outcome = promise.get_future();
  std::function<void(Result<echo::WaitResponse>)> teller() {
    return [this](Result<echo::WaitResponse> result) { promise.set_value(std::move(result)); };
  }
};

TEST_CASE("a call that is waited for has its answer or its error", "[embed]") {
  Embedded embedded;
  const auto answer = embedded.echo().call<echo::SayResponse>("Say", say("hello"));
  REQUIRE(answer);
  CHECK(answer->text() == "hello");

  echo::FailRequest fail;
  fail.set_code(9);
  fail.set_text("not like this");
  const auto failed = embedded.echo().call<echo::FailResponse>("Fail", fail);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == StatusCode::kFailedPrecondition);
  CHECK(failed.error().message() == "not like this");

  const auto unknown = embedded.echo().call<echo::SayResponse>("Shout", say("x"));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code() == StatusCode::kUnimplemented);
  CHECK(unknown.error().message() ==
        "no enabled module serves the method longshore.echo.v1.Echo/Shout");
}

TEST_CASE("a method that streams cannot be waited for", "[embed]") {
  Embedded embedded;
  const auto answer =
      embedded.echo().call<echo::CountResponse>("Count", echo::CountRequest::default_instance());
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code() == StatusCode::kInvalidArgument);
  CHECK(answer.error().message() ==
        "the method longshore.echo.v1.Echo/Count answers with a stream");
}

TEST_CASE("the deadline of a waited call is its outcome", "[embed]") {
  Embedded embedded;
  CallOptions options;
  options.timeout = 20ms;
  const auto answer =
      embedded.echo().call<echo::WaitResponse>("Wait", wait_request(60'000), options);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code() == StatusCode::kDeadlineExceeded);
}

TEST_CASE("waited calls beyond max_concurrent_calls wait for their turn", "[embed]") {
  Embedded embedded("[modules.echo]\nmax_concurrent_calls = 1\n");
  std::atomic<int> right{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&, i] {
      for (int j = 0; j < 50; ++j) {
        const std::string text = std::to_string(i * 1000 + j);
        const auto answer = embedded.echo().call<echo::SayResponse>("Say", say(text));
        if (answer && answer->text() == text) ++right;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(right == 8 * 50);
}

TEST_CASE("a waited call whose deadline passes in the queue leaves in time", "[embed]") {
  Embedded embedded("[modules.echo]\nmax_concurrent_calls = 1\n");
  Started blocking;
  StartedCall call =
      embedded.echo().start<echo::WaitResponse>("Wait", wait_request(600'000), blocking.teller());
  CallOptions options;
  options.timeout = 20ms;
  const auto late = embedded.echo().call<echo::SayResponse>("Say", say("x"), options);
  REQUIRE_FALSE(late);
  CHECK(late.error().code() == StatusCode::kDeadlineExceeded);
  CHECK(call.cancel());
  CHECK(awaited(blocking.outcome).error().code() == StatusCode::kCancelled);
  CHECK(embedded.echo().call<echo::SayResponse>("Say", say("again"))->text() == "again");
}

TEST_CASE("a started call frees its caller at the deadline, whatever the module does", "[embed]") {
  Embedded embedded;
  Started stubborn;
  CallOptions options;
  options.timeout = 20ms;
  embedded.echo().start<echo::WaitResponse>("Wait", wait_request(1'500, true), stubborn.teller(),
                                            options);
  CHECK(awaited(stubborn.outcome).error().code() == StatusCode::kDeadlineExceeded);
}

TEST_CASE("a program that blocks where it is told of a deadline holds up no other call",
          "[embed]") {
  Embedded embedded;
  CallOptions options;
  options.timeout = 20ms;
  std::promise<void> go_on;
  std::promise<void> is_told;
  embedded.echo().start<echo::WaitResponse>(
      "Wait", wait_request(600'000),
      [&](const Result<echo::WaitResponse>&) {
        go_on.get_future().wait();
        is_told.set_value();
      },
      options);
  const auto late =
      embedded.echo().call<echo::WaitResponse>("Wait", wait_request(600'000), options);
  REQUIRE_FALSE(late);
  CHECK(late.error().code() == StatusCode::kDeadlineExceeded);
  go_on.set_value();
  is_told.get_future().wait();
}

TEST_CASE("the end waits for a program that is slow to be told, as long as it comes on",
          "[embed]") {
  constexpr int kCalls = 12;
  std::atomic<int> told = 0;
  std::promise<void> never;
  const auto slowly = never.get_future().share();
  {
    Embedded embedded("[modules.echo]\n", {}, "2s");
    CallOptions options;
    options.timeout = 1ms;
    for (int i = 0; i < kCalls; ++i) {
      embedded.echo().start<echo::WaitResponse>(
          "Wait", wait_request(600'000),
          [&](const Result<echo::WaitResponse>&) {
            slowly.wait_for(250ms);  // all together longer than stop_timeout
            ++told;
          },
          options);
    }
    // The deadlines have passed, and the outcomes are on their way.
    while (told == 0) std::this_thread::yield();
  }
  CHECK(told == kCalls);
}

TEST_CASE("a program may start a call that is refused wherever it is told of one", "[embed]") {
  constexpr int kCalls = 100'000;
  int told = 0;
  std::promise<void> all;
  Embedded embedded;
  std::function<void()> start = [&] {
    embedded.echo().start<echo::SayResponse>("NoSuchMethod", say("x"),
                                             [&](const Result<echo::SayResponse>&) {
                                               if (++told == kCalls) return all.set_value();
                                               start();
                                             });
  };
  start();
  auto done = all.get_future();
  CHECK(done.wait_for(kLong) == std::future_status::ready);
}

TEST_CASE("a started call is cancelled once", "[embed]") {
  Embedded embedded;
  Started waiting;
  StartedCall call =
      embedded.echo().start<echo::WaitResponse>("Wait", wait_request(600'000), waiting.teller());
  CHECK(call.cancel());
  CHECK(awaited(waiting.outcome).error().code() == StatusCode::kCancelled);
  CHECK_FALSE(call.cancel());  // it has its outcome
  CHECK_FALSE(StartedCall(embedded.agent().get(), 0).cancel());
  CHECK_FALSE(StartedCall(embedded.agent().get(), ~uint64_t{0}).cancel());
}

TEST_CASE("a stream comes in order and only as fast as it is taken", "[embed]") {
  Embedded embedded;
  echo::CountRequest request;
  request.set_count(100);
  std::vector<int64_t> numbers;
  std::mutex mutex;
  std::promise<Result<void>> ended;
  auto outcome = ended.get_future();
  std::promise<void> full;
  auto is_full = full.get_future();
  StartedCall call = embedded.echo().stream<echo::CountResponse>(
      "Count", request,
      [&](Result<echo::CountResponse> message) {
        const std::lock_guard lock(mutex);
        numbers.push_back(message->number());
        if (numbers.size() == 10) full.set_value();
        return numbers.size() != 10;  // no room after the tenth
      },
      [&](Result<void> result) { ended.set_value(std::move(result)); });
  REQUIRE(is_full.wait_for(kLong) == std::future_status::ready);
  CHECK(outcome.wait_for(50ms) == std::future_status::timeout);
  {
    const std::lock_guard lock(mutex);
    CHECK(numbers.size() == 10);
  }
  CHECK(call.resume());
  CHECK(awaited(outcome));
  REQUIRE(numbers.size() == 100);
  for (size_t i = 0; i < numbers.size(); ++i) CHECK(numbers[i] == static_cast<int64_t>(i));
}

TEST_CASE("room that is made from within a message counts", "[embed]") {
  Embedded embedded;
  struct Seen {
    longshore_agent* agent;
    std::atomic<uint64_t> call{0};
    std::promise<void> started;
    std::shared_future<void> has_started = started.get_future().share();
    std::atomic<int> messages{0};
    std::atomic<bool> inside{false};
    std::atomic<bool> at_once{false};  // two messages
    std::promise<int32_t> done;
  } seen;
  seen.agent = embedded.agent().get();
  longshore_call_events events{};
  events.struct_size = sizeof(events);
  events.user = &seen;
  events.on_message = [](void* user, const void*, size_t) -> int32_t {
    auto& self = *static_cast<Seen*>(user);
    if (self.inside.exchange(true)) self.at_once = true;
    self.has_started.wait();
    ++self.messages;
    longshore_agent_resume(self.agent, self.call);
    self.inside = false;
    return 0;
  };
  events.on_done = [](void* user, longshore_reply* reply) {
    auto& self = *static_cast<Seen*>(user);
    if (self.inside) self.at_once = true;
    const int32_t code = longshore_reply_code(reply);
    longshore_reply_free(reply);
    self.done.set_value(code);
  };
  echo::CountRequest request;
  request.set_count(100);
  const std::string bytes = request.SerializeAsString();
  uint64_t call = 0;
  longshore_agent_start_call(seen.agent, "longshore.echo.v1.Echo/Count", bytes.data(), bytes.size(),
                             nullptr, &events, &call);
  seen.call = call;
  seen.started.set_value();
  auto done = seen.done.get_future();
  CHECK(awaited(done) == 0);
  CHECK(seen.messages == 100);
  CHECK_FALSE(seen.at_once);
}

TEST_CASE("what waits is refused in an event, and started calls are not", "[embed]") {
  Embedded embedded;
  struct Codes {
    int32_t call, reload, destroy;
  };
  std::promise<Codes> told;
  auto codes = told.get_future();
  Started another;
  embedded.echo().start<echo::SayResponse>("Say", say("x"), [&](auto) {
    longshore_agent* agent = embedded.agent().get();
    embedded.echo().start<echo::WaitResponse>("Wait", wait_request(1), another.teller());
    told.set_value(
        {longshore_agent_call(agent, "longshore.echo.v1.Echo/Say", "", 0, nullptr, nullptr),
         longshore_agent_reload(agent, "", nullptr), longshore_agent_destroy(agent, nullptr)});
  });
  const Codes seen = awaited(codes);
  CHECK(seen.call == 9);
  CHECK(seen.reload == 9);
  CHECK(seen.destroy == 9);
  CHECK(awaited(another.outcome));
}

TEST_CASE("an agent does not know the handles of another", "[embed]") {
  Embedded one;
  Embedded two;
  Started waiting;
  echo::WaitRequest request = wait_request(600'000);
  longshore_call_events events{};
  events.struct_size = sizeof(events);
  events.user = &waiting;
  events.on_done = [](void* user, longshore_reply* reply) {
    static_cast<Started*>(user)->promise.set_value(embedded::error_of(reply));
    longshore_reply_free(reply);
  };
  uint64_t call = 0;
  const std::string bytes = request.SerializeAsString();
  longshore_agent_start_call(one.agent().get(), "longshore.echo.v1.Echo/Wait", bytes.data(),
                             bytes.size(), nullptr, &events, &call);
  Started own;
  StartedCall mine = two.echo().start<echo::WaitResponse>("Wait", request, own.teller());
  CHECK(longshore_agent_cancel(two.agent().get(), call) == 5);
  CHECK(longshore_agent_cancel(one.agent().get(), call) == 0);
  CHECK(awaited(waiting.outcome).error().code() == StatusCode::kCancelled);
  CHECK(mine.cancel());
  CHECK(awaited(own.outcome).error().code() == StatusCode::kCancelled);
}

TEST_CASE("a stream that is cancelled in its midst ends with that", "[embed]") {
  Embedded embedded;
  echo::CountRequest request;
  request.set_count(1'000'000'000);
  std::promise<Result<void>> ended;
  auto outcome = ended.get_future();
  std::promise<void> begun;
  auto has_begun = begun.get_future();
  int messages = 0;
  StartedCall call = embedded.echo().stream<echo::CountResponse>(
      "Count", request,
      [&](Result<echo::CountResponse>) {
        if (++messages == 5) begun.set_value();
        return true;
      },
      [&](Result<void> result) { ended.set_value(std::move(result)); });
  REQUIRE(has_begun.wait_for(kLong) == std::future_status::ready);
  CHECK(call.cancel());
  const Result<void> result = awaited(outcome);
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == StatusCode::kCancelled);
}

TEST_CASE("an embedder's request id and name reach the module", "[embed]") {
  Embedded embedded("[modules.echo.settings]\ngreeting = \"ahoy\"\n");
  CallOptions options;
  options.request_id = "my-request.7";
  const auto seen =
      embedded.echo().call<echo::DescribeResponse>("Describe", echo::DescribeRequest(), options);
  REQUIRE(seen);
  CHECK(seen->request_id() == "my-request.7");
  CHECK(seen->caller() == "embedder");
  CHECK(seen->greeting() == "ahoy");
  for (const std::string bad : {"two words", "line\nend", "\x1b[31m"}) {
    options.request_id = bad;
    const auto refused =
        embedded.echo().call<echo::DescribeResponse>("Describe", echo::DescribeRequest(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == StatusCode::kInvalidArgument);
  }
}

TEST_CASE("callers of all kinds at once each get their own answer", "[embed]") {
  Embedded embedded;
  constexpr int kThreads = 8;
  constexpr int kCalls = 200;
  std::atomic<int> right{0};
  std::vector<std::thread> callers;
  for (int thread = 0; thread < kThreads; ++thread) {
    callers.emplace_back([&, thread] {
      for (int i = 0; i < kCalls; ++i) {
        const std::string text = std::to_string(thread) + "/" + std::to_string(i);
        if (i % 2 == 0) {
          const auto answer = embedded.echo().call<echo::SayResponse>("Say", say(text));
          if (answer && answer->text() == text) ++right;
          continue;
        }
        std::promise<bool> told;
        embedded.echo().start<echo::SayResponse>("Say", say(text), [&](auto answer) {
          told.set_value(answer && answer->text() == text);
        });
        if (told.get_future().get()) ++right;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(right == kThreads * kCalls);
}

}  // namespace
}  // namespace longshore::test
