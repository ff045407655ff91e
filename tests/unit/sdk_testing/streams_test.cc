// Streams that hold no thread: what a reply says and calls, and what may race with what.
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "longshore/module.hpp"
#include "longshore/stream.hpp"
#include "tests/support/eventually.h"
#include "tests/unit/sdk_testing/echo_module.h"

namespace longshore::testing {
namespace {

using echo::v1::CountRequest;
using echo::v1::CountResponse;
using test::eventually;
using CountReply = StreamReply<CountResponse>;

const std::string kMethod = echo_method("CountAsync");

// Under the echo module's description; the test is its handler.
class Subject final : public Module {
 public:
  Result<void> start(const Settings&, std::string_view) override {
    add_service("longshore.echo.v1.Echo", *this).async_stream("CountAsync", &Subject::count);
    return {};
  }
  void count(Context, const CountRequest& request, CountReply reply) {
    handler(request, std::move(reply));
  }

  static inline std::function<void(const CountRequest&, CountReply)> handler;
};

// Run where a send was refused and has not returned yet: what another thread may do just then.
std::function<void()> while_refused;

// The subject in the fake host, between which stands this.
longshore_result create_subject(const longshore_host* host, void** self,
                                const longshore_instance** functions) {
  static longshore_host table;
  static longshore_result (*send)(const longshore_host*, longshore_call, longshore_bytes);
  table = *host;
  send = host->send;
  table.send = [](const longshore_host* own, longshore_call call, longshore_bytes bytes) {
    const auto answer = send(own, call, bytes);
    if (answer == LONGSHORE_WOULD_BLOCK && while_refused) while_refused();
    return answer;
  };
  return longshore::detail::Trampolines<Subject>::create(&table, self, functions);
}

const longshore_module_entry& subject() {
  static longshore_module_entry entry = echo_entry();
  entry.create = &create_subject;
  return entry;
}

CountResponse message(int64_t number) {
  CountResponse response;
  response.set_number(number);
  return response;
}

Error enough() { return Error(StatusCode::kAborted, "count on").because("that is enough"); }

struct World {
  World() {
    // Keeps the reply for the test.
    Subject::handler = [this](const CountRequest&, CountReply given) {
      reply = std::make_unique<CountReply>(std::move(given));
    };
    REQUIRE(host.start().ok());
  }
  ~World() {
    Subject::handler = nullptr;
    while_refused = nullptr;
  }

  PendingCall begin(uint32_t credit) {
    return host.begin(kMethod, CountRequest(), {.credit = credit});
  }
  static StatusCode code_of(PendingCall& call) {
    const auto all = call.wait_for_all_bytes();
    return all ? StatusCode::kOk : all.error().code();
  }

  std::unique_ptr<CountReply> reply;
  FakeHost host{subject()};
};

// ---- Room ----

TEST_CASE_METHOD(World, "a send is taken as far as there is room, and room is told once") {
  auto call = begin(1);
  int told = 0;
  reply->on_ready([&] { ++told; });
  CHECK(reply->send(message(0)) == Sent::kYes);
  CHECK(reply->send(message(1)) == Sent::kNoRoom);
  CHECK(reply->send(message(1)) == Sent::kNoRoom);
  CHECK(told == 0);
  call.grant(2);
  CHECK(told == 1);
  CHECK(reply->send(message(1)) == Sent::kYes);
  CHECK(reply->send(message(2)) == Sent::kYes);
  call.grant(1);  // nobody was refused
  CHECK(told == 1);
  CHECK(reply->send(message(3)) == Sent::kYes);
  CHECK(reply->send(message(4)) == Sent::kNoRoom);
  call.grant(1);
  CHECK(told == 2);
  reply->finish({});
  const auto all = call.wait_for_all<CountResponse>();
  REQUIRE(all.ok());
  CHECK(all->size() == 4);
}

TEST_CASE_METHOD(World, "room that came before anybody asked for it is not lost") {
  auto call = begin(0);
  CHECK(reply->send(message(0)) == Sent::kNoRoom);
  call.grant(1);
  int told = 0;
  reply->on_ready([&] { ++told; });
  CHECK(told == 1);
  CHECK(reply->send(message(0)) == Sent::kYes);
  reply->finish({});
}

TEST_CASE_METHOD(World, "room that comes before the refused send has returned is taken at once") {
  auto call = begin(0);
  int told = 0;
  reply->on_ready([&] { ++told; });
  while_refused = [&] { call.grant(1); };
  CHECK(reply->send(message(0)) == Sent::kYes);
  while_refused = nullptr;
  CHECK(told == 0);
  CHECK(reply->send(message(1)) == Sent::kNoRoom);
  reply->finish({});
}

TEST_CASE_METHOD(World, "a reply that is finished while a send is in the host ends after it") {
  auto call = begin(0);
  while_refused = [&] {
    reply->finish(enough());
    CHECK_FALSE(call.finished());
  };
  CHECK(reply->send(message(0)) == Sent::kNobodyListens);
  CHECK(code_of(call) == StatusCode::kAborted);
}

TEST_CASE_METHOD(World, "a function that makes room itself is called again after it, not within") {
  auto call = begin(0);
  int told = 0;
  bool is_inside = false;
  reply->on_ready([&] {
    CHECK_FALSE(std::exchange(is_inside, true));
    if (++told == 1) {
      CHECK(reply->send(message(0)) == Sent::kYes);
      CHECK(reply->send(message(1)) == Sent::kNoRoom);
      call.grant(1);
    }
    is_inside = false;
  });
  CHECK(reply->send(message(0)) == Sent::kNoRoom);
  call.grant(1);
  CHECK(told == 2);
  reply->finish({});
}

TEST_CASE_METHOD(World, "no function is called before the handler has returned") {
  std::atomic<int> told = 0;
  std::atomic<bool> is_refused = false;
  std::atomic<bool> may_return = false;
  Subject::handler = [&](const CountRequest&, CountReply given) {
    given.on_ready([&] { ++told; });
    given.on_cancel([&] { told += 10; });
    CHECK(given.send(message(0)) == Sent::kNoRoom);
    reply = std::make_unique<CountReply>(std::move(given));
    is_refused = true;
    CHECK(eventually([&] { return may_return.load(); }));
  };
  auto call = host.begin_on_thread(kMethod, CountRequest(), {.credit = 0});
  REQUIRE(eventually([&] { return is_refused.load(); }));
  const bool is_cancelled = GENERATE(false, true);
  call.grant(1);
  if (is_cancelled) call.cancel();
  CHECK(told == 0);
  may_return = true;
  CHECK(eventually([&] { return told != 0; }));
  CHECK(told == (is_cancelled ? 10 : 1));
  reply->finish({});
}

// ---- The end ----

TEST_CASE_METHOD(World, "a reader who goes away is told once, and then nothing is taken") {
  auto call = begin(0);
  int gone = 0;
  int ready = 0;
  reply->on_ready([&] { ++ready; });
  reply->on_cancel([&] { ++gone; });
  CHECK(reply->send(message(0)) == Sent::kNoRoom);
  call.cancel();
  call.cancel();
  call.grant(1);
  CHECK(gone == 1);
  CHECK(ready == 0);
  CHECK(reply->send(message(0)) == Sent::kNobodyListens);
  CHECK_FALSE(call.finished());
  reply = nullptr;
  CHECK(code_of(call) == StatusCode::kCancelled);
}

TEST_CASE_METHOD(World, "a reply that is dropped ends the call") {
  auto call = begin(1);
  SECTION("by its end") { reply = nullptr; }
  SECTION("by another in its place") {
    auto second = begin(1);  // whose handler drops the first
    CHECK(reply->send(message(0)) == Sent::kYes);
    CHECK_FALSE(second.finished());
    *reply = CountReply(nullptr);
    CHECK(code_of(second) == StatusCode::kInternal);
  }
  CHECK(code_of(call) == StatusCode::kInternal);
}

TEST_CASE_METHOD(World, "the first outcome counts, and no function is called after it") {
  auto call = begin(0);
  const auto alive = std::make_shared<int>(0);
  reply->on_ready([alive] { ++*alive; });
  reply->on_cancel([alive] { ++*alive; });
  CHECK(reply->send(message(0)) == Sent::kNoRoom);
  reply->finish(enough());
  CHECK(alive.use_count() == 1);
  reply->finish({});
  call.grant(1);
  call.cancel();
  reply->on_ready([alive] { ++*alive; });
  reply->on_cancel([alive] { ++*alive; });
  CHECK(reply->send(message(0)) == Sent::kNobodyListens);
  CountReply moved = std::move(*reply);
  reply->finish({});
  reply->on_ready([alive] { ++*alive; });
  CHECK(reply->send(message(0)) == Sent::kNobodyListens);
  CHECK(*alive == 0);
  CHECK(alive.use_count() == 1);
  CHECK(code_of(call) == StatusCode::kAborted);
}

TEST_CASE_METHOD(World, "a function may drop the reply that called it, and own it") {
  const bool by_cancel = GENERATE(false, true);
  auto call = begin(0);
  auto owner = std::make_shared<std::unique_ptr<CountReply>>(std::move(reply));
  const std::weak_ptr<std::unique_ptr<CountReply>> left = owner;
  (*owner)->on_ready([owner] { owner->reset(); });
  (*owner)->on_cancel([owner] { owner->reset(); });
  CHECK((*owner)->send(message(0)) == Sent::kNoRoom);
  owner = nullptr;
  by_cancel ? call.cancel() : call.grant(1);
  CHECK(left.expired());
  CHECK(code_of(call) == (by_cancel ? StatusCode::kCancelled : StatusCode::kInternal));
}

TEST_CASE_METHOD(World, "an exception of a function is a line in the log, and the stream goes on") {
  auto call = begin(0);
  reply->on_ready([] { throw std::runtime_error("oops"); });
  CHECK(reply->send(message(0)) == Sent::kNoRoom);
  call.grant(1);
  CHECK(host.logged("the module threw an exception: oops"));
  CHECK(reply->send(message(0)) == Sent::kYes);
  reply->finish({});
  CHECK(code_of(call) == StatusCode::kOk);
}

TEST_CASE_METHOD(World, "an exception of the handler ends a stream that it still has") {
  bool is_kept = GENERATE(false, true);
  Subject::handler = [&](const CountRequest&, CountReply given) {
    if (is_kept) reply = std::make_unique<CountReply>(std::move(given));
    throw std::runtime_error("oops");
  };
  auto call = begin(1);
  CHECK(host.logged("the module threw an exception: oops"));
  CHECK(call.finished() != is_kept);
  if (is_kept) reply->finish({});
  CHECK(code_of(call) == (is_kept ? StatusCode::kOk : StatusCode::kInternal));
}

// ---- Races ----

// Sends without a lock from the handler and its functions, which never run at once.
TEST_CASE_METHOD(World, "no room is lost when it comes while a send is refused") {
  constexpr int64_t kMessages = 3000;
  int64_t sent = 0;
  const auto go_on = [&] {
    while (sent < kMessages && reply->send(message(sent)) == Sent::kYes) ++sent;
    if (sent == kMessages) reply->finish({});
  };
  Subject::handler = [&](const CountRequest&, CountReply given) {
    reply = std::make_unique<CountReply>(std::move(given));
    reply->on_ready(go_on);
    go_on();
  };
  auto call = host.begin_on_thread(kMethod, CountRequest(), {.credit = 0});
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([call]() mutable {
      for (int64_t each = 0; each < kMessages / 2; ++each) call.grant(1);
    });
  }
  const auto all = call.wait_for_all<CountResponse>();
  for (std::thread& each : readers) each.join();
  REQUIRE(all.ok());
  REQUIRE(all->size() == kMessages);
  for (int64_t i = 0; i < kMessages; ++i) CHECK((*all)[static_cast<size_t>(i)].number() == i);
}

// As a service sends news to its readers: whoever has some, under the service's lock.
TEST_CASE_METHOD(World, "no room is lost when another thread sends") {
  constexpr int64_t kMessages = 2000;
  std::mutex mutex;
  int64_t latest = 0;
  int64_t sent = 0;
  const auto send_news = [&] {
    while (sent < latest && reply->send(message(sent)) == Sent::kYes) ++sent;
  };
  auto call = begin(0);
  reply->on_ready([&] {
    const std::lock_guard lock(mutex);
    send_news();
  });
  std::thread source([&] {
    for (int64_t i = 0; i < kMessages; ++i) {
      const std::lock_guard lock(mutex);
      ++latest;
      send_news();
    }
  });
  for (int64_t i = 0; i < kMessages; ++i) {
    call.grant(1);
    if (!call.next_bytes()) break;  // none came in time
  }
  source.join();
  CHECK(sent == kMessages);
  reply->finish({});
}

// The host finds a send after the end, and a second end.
TEST_CASE_METHOD(World, "senders, the end and a cancellation race to one outcome") {
  for (int i = 0; i < 300; ++i) {
    auto call = begin(1000);
    std::atomic<int> gone = 0;
    reply->on_cancel([&] {
      ++gone;
      reply->finish(Error(StatusCode::kCancelled, "count on"));
    });
    std::vector<std::thread> threads;
    for (int sender = 0; sender < 2; ++sender) {
      threads.emplace_back([&] {
        while (reply->send(message(0)) == Sent::kYes) {
        }
      });
    }
    threads.emplace_back([&] { reply->finish({}); });
    threads.emplace_back([&] { call.cancel(); });
    for (std::thread& each : threads) each.join();
    CHECK(call.finished());
    CHECK(gone <= 1);
  }
}

TEST_CASE_METHOD(World, "a cancellation that races with the handler's beginning is told once") {
  std::atomic<int> gone = 0;
  Subject::handler = [&](const CountRequest&, CountReply given) {
    const auto kept = std::make_shared<CountReply>(std::move(given));
    kept->on_cancel([&gone, kept] {
      ++gone;
      kept->finish(Error(StatusCode::kCancelled, "count on"));
    });
  };
  constexpr int kCalls = 200;
  for (int i = 0; i < kCalls; ++i) {
    auto call = host.begin_on_thread(kMethod, CountRequest(), {.credit = 0});
    call.cancel();
    CHECK(code_of(call) == StatusCode::kCancelled);
  }
  CHECK(gone == kCalls);
}

TEST_CASE("the echo module counts without a thread, as far as there is room") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  auto call = host.begin(kMethod, count_request(4), {.credit = 1});
  CHECK(call.next<CountResponse>()->number() == 0);
  CHECK_FALSE(call.finished());
  call.grant(2);
  CHECK(call.next<CountResponse>()->number() == 1);
  CHECK(call.next<CountResponse>()->number() == 2);
  SECTION("to its end") {
    call.grant(1);
    const auto rest = call.wait_for_all<CountResponse>();
    REQUIRE(rest.ok());
    CHECK(rest->size() == 1);
  }
  SECTION("until nobody listens") {
    call.cancel();
    CHECK(call.wait_for_all_bytes().error().code() == StatusCode::kCancelled);
  }
}

}  // namespace
}  // namespace longshore::testing
