// What a module's work queues tell of a key, in the fake host.
#include "longshore/work_queue_objects.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/unit/sdk_testing/echo_module.h"
#include "tests/unit/sdk_testing/liar.h"

namespace longshore::testing {
namespace {

using namespace std::chrono_literals;
using module::v1::QueuedObject;

Result<void> fail(const std::string& why) {
  return Error(StatusCode::kUnavailable, "reach the shelf").because(why);
}

// Two queues of shelves and one of books.
struct QueuesWorld {
  QueuesWorld() { REQUIRE(host.start().ok()); }

  module::v1::DescribeObjectResponse ask(const std::string& kind, const std::string& key) const {
    const std::array<const WorkQueue*, 3> queues{&shelves, &more_shelves, &books};
    module::v1::DescribeObjectRequest request;
    request.set_kind(kind);
    request.set_key(key);
    return describe_object(queues, request);
  }
  QueuedObject shelf(const std::string& key) const {
    const auto response = ask("shelf", key);
    REQUIRE(response.objects_size() == 1);
    return response.objects(0);
  }
  void run() { host.advance(0ns); }

  Liar liar;
  FakeHost host{liar.entry()};
  std::function<Result<void>()> handle = [] { return Result<void>(); };
  WorkQueue shelves{liar.host,
                    "shelves",
                    [this](const std::string&) { return handle(); },
                    {.first_delay = 1h, .most_delay = 1h, .kind = "shelf"}};
  WorkQueue more_shelves{liar.host,
                         "more-shelves",
                         [](const std::string&) { return Result<void>(); },
                         {.kind = "shelf"}};
  WorkQueue books{liar.host, "books", [](const std::string&) { return Result<void>(); }};
};

TEST_CASE_METHOD(QueuesWorld, "a key is told of from when it is added until after it is done") {
  shelves.add("a");
  const QueuedObject queued = shelf("a");
  CHECK(queued.queue() == "shelves");
  CHECK(queued.state() == QueuedObject::STATE_QUEUED);
  CHECK(queued.since_unix_ms() > 0);
  CHECK(queued.tries() == 0);
  CHECK(queued.next_try_unix_ms() == 0);
  CHECK(queued.last_tries().empty());
  QueuedObject running;
  handle = [&, runs = 0]() mutable -> Result<void> {
    if (++runs > 1) return {};
    shelves.add("a");
    running = shelf("a");
    return {};
  };
  run();
  CHECK(running.state() == QueuedObject::STATE_RUNNING);
  CHECK(running.is_added_again());
  CHECK(running.tries() == 1);
  const QueuedObject done = shelf("a");
  CHECK(done.state() == QueuedObject::STATE_DONE);
  CHECK_FALSE(done.is_added_again());
  CHECK(done.since_unix_ms() > 0);
  CHECK(done.tries() == 0);
  REQUIRE(done.last_tries_size() == 2);
  CHECK(done.last_tries(0).is_done());
  CHECK(done.last_tries(1).began_unix_ms() > 0);
}

TEST_CASE_METHOD(QueuesWorld, "a key that fails is told of with why, and when it is tried again") {
  const auto [why, told] = GENERATE(
      std::pair<std::string, std::string>{"no \xff\n", "cannot reach the shelf: no \xff\n"},
      std::pair<std::string, std::string>{std::string(1000, 'x'),
                                          "cannot reach the shelf: " + std::string(488, 'x')});
  handle = [why = why] { return fail(why); };
  shelves.add("a");
  run();
  QueuedObject failed = shelf("a");
  CHECK(failed.state() == QueuedObject::STATE_DELAYED);
  CHECK(failed.tries() == 1);
  // An hour later, of which no clock has to tell.
  CHECK(failed.next_try_unix_ms() > failed.since_unix_ms());
  REQUIRE(failed.last_tries_size() == 1);
  CHECK_FALSE(failed.last_tries(0).is_done());
  CHECK(failed.last_tries(0).error() == told);
  host.advance(1h);
  failed = shelf("a");
  CHECK(failed.tries() == 2);
  CHECK(failed.last_tries_size() == 2);
  shelves.add("a");
  CHECK(shelf("a").state() == QueuedObject::STATE_QUEUED);
  CHECK(shelf("a").next_try_unix_ms() > 0);
  // What waits for its agent crosses to it as bytes.
  QueuedObject crossed;
  CHECK(crossed.ParseFromString(failed.SerializeAsString()));
}

TEST_CASE_METHOD(QueuesWorld, "why a key failed last is known until it is done, however many do") {
  std::string why = std::string(1000, 'x');
  WorkQueue many{liar.host,
                 "many",
                 [&](const std::string&) { return why.empty() ? Result<void>() : fail(why); },
                 {.first_delay = 1h, .most_delay = 1h, .history_bytes = 4096}};
  for (int i = 0; i < 100; ++i) many.add(std::to_string(i));
  run();
  const auto oldest = many.status("0");
  REQUIRE(oldest);
  REQUIRE(oldest->last_tries.size() == 1);
  CHECK(oldest->last_tries[0].error.size() == WorkQueueHistory::kMaxErrorBytes);
  CHECK_FALSE(oldest->last_tries[0].is_done);
  why.clear();
  host.advance(1h);
  CHECK_FALSE(many.status("0"));
  CHECK(many.status("99"));
}

TEST_CASE_METHOD(QueuesWorld, "an exception is told as why a key failed") {
  handle = []() -> Result<void> { throw 1; };
  shelves.add("a");
  run();
  CHECK(shelf("a").last_tries(0).error() == "the module threw an unknown exception");
}

TEST_CASE_METHOD(QueuesWorld, "a key of several queues of its kind is told of each") {
  shelves.add("a");
  more_shelves.add("a");
  books.add("a");
  const auto response = ask("shelf", "a");
  REQUIRE(response.objects_size() == 2);
  CHECK(response.objects(0).queue() == "shelves");
  CHECK(response.objects(1).queue() == "more-shelves");
  CHECK(ask("books", "a").objects_size() == 1);  // it says no kind of its own
}

TEST_CASE_METHOD(QueuesWorld, "what no queue knows is no object, but the kinds are told") {
  shelves.add("a");
  for (const auto& [kind, key] : {std::pair("shelf", "b"), std::pair("book", "a"),
                                  std::pair("", ""), std::pair("shelf", "")}) {
    const auto response = ask(kind, key);
    CHECK(response.objects().empty());
    REQUIRE(response.kinds_size() == 2);
    CHECK(response.kinds(0) == "shelf");
    CHECK(response.kinds(1) == "books");
  }
}

TEST_CASE_METHOD(QueuesWorld, "a queue that is stopped tells of what was tried alone") {
  shelves.add("tried");
  run();
  shelves.add("tried");
  shelves.add("queued");
  shelves.stop();
  CHECK(shelf("tried").state() == QueuedObject::STATE_DONE);
  CHECK(ask("shelf", "queued").objects().empty());
}

TEST_CASE_METHOD(QueuesWorld, "a kind is taken as kubectl prints it, too") {
  WorkQueue bags{liar.host,
                 "bags",
                 [](const std::string&) { return Result<void>(); },
                 {.kind = "b", .resource = "bags.example.com"}};
  for (const char* const kind : {"b", "bags", "bag", "bags.example.com", "bag.example.com"}) {
    CAPTURE(kind);
    CHECK(bags.takes_kind(kind));
  }
  for (const char* const kind : {"", "ba", "bagss", "bags.example", ".example.com", "bags."}) {
    CAPTURE(kind);
    CHECK_FALSE(bags.takes_kind(kind));
  }
  CHECK_FALSE(books.takes_kind(""));
  const std::array<const WorkQueue*, 1> queues{&bags};
  module::v1::DescribeObjectRequest request;
  request.set_kind("bag.example.com");
  request.set_key("unknown");
  const auto response = describe_object(queues, request);
  CHECK(response.objects().empty());
  REQUIRE(response.kinds_size() == 2);
  CHECK(response.kinds(1) == "bag.example.com");
}

}  // namespace
}  // namespace longshore::testing
