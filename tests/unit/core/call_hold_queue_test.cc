#include "core/call_hold_queue.h"

#include <catch2/catch.hpp>

#include "tests/unit/router/test_target.h"

namespace longshore::core {
namespace {

using namespace std::chrono_literals;
using router::Recorder;

// Notes the order in which calls come.
class Sequence final : public router::Target {
 public:
  Result<void> submit(std::shared_ptr<router::Call> call) override {
    if (has_gone) return Error::of_text(StatusCode::kUnavailable, "gone");
    came.emplace_back(call->request());
    return {};
  }
  bool has_moved() const override { return has_gone; }
  void execute(router::Call&) override {}
  std::vector<std::string> came;
  bool has_gone = false;
};

struct Exchange {
  Exchange() { lead_to(room); }

  void lead_to(const std::shared_ptr<router::Target>& target) {
    auto method = std::make_shared<router::Method>();
    method->full_name = "test.Service/Do";
    auto routes = std::make_shared<router::RouteTable>();
    routes->by_method.emplace(method->full_name, router::Route{method, target});
    router.set_routes(std::move(routes));
  }

  std::shared_ptr<Recorder> call(const std::string& request, std::chrono::nanoseconds timeout = 1h,
                                 std::shared_ptr<router::Call> parent = nullptr) {
    const auto observer = std::make_shared<Recorder>();
    router::CallRequest wanted;
    wanted.method = "test.Service/Do";
    wanted.request = request;
    auto caller = std::make_shared<router::Caller>(router::Caller{"uid:0", "uid:0", nullptr});
    caller->has_account = has_account;
    wanted.caller = std::move(caller);
    wanted.timeout = timeout;
    wanted.parent = std::move(parent);
    wanted.observer = observer;
    last = router.call(std::move(wanted));
    return observer;
  }

  void open() {
    room->open(next, [this] { lead_to(next); });
  }

  router::Timers timers;
  router::Router router{timers, {.default_timeout = 1h}};
  std::shared_ptr<Sequence> old = std::make_shared<Sequence>();
  std::shared_ptr<CallHoldQueue> room = std::make_shared<CallHoldQueue>("disk", 3, 100000, old);
  std::shared_ptr<Sequence> next = std::make_shared<Sequence>();
  std::shared_ptr<router::Call> last;
  bool has_account = false;
};

TEST_CASE_METHOD(Exchange,
                 "Calls that wait go on in their order, and later ones go past the room") {
  call("1");
  call("2");
  CHECK(next->came.empty());
  CHECK_FALSE(room->has_moved());
  open();
  call("3");
  CHECK(next->came == std::vector<std::string>{"1", "2", "3"});
  CHECK(room->has_moved());
}

TEST_CASE_METHOD(Exchange, "A call that still comes by the old route is routed anew") {
  open();
  lead_to(room);
  room->open(next, [this] { lead_to(next); });
  const auto observer = call("late");
  CHECK(observer->received.get().outcomes.empty());
  CHECK(next->came == std::vector<std::string>{"late"});
}

TEST_CASE_METHOD(Exchange, "A call that one of the old instance waits for goes past the room") {
  lead_to(old);
  call("outer");
  const auto outer = last;
  lead_to(std::make_shared<Sequence>());
  call("of another module", 1h, outer);
  const auto between = last;
  lead_to(room);
  call("inner", 1h, between);
  CHECK(old->came == std::vector<std::string>{"outer", "inner"});
  CHECK(last->belongs_to(*old));
  call("unrelated");
  open();
  CHECK(next->came == std::vector<std::string>{"unrelated"});
}

TEST_CASE_METHOD(Exchange, "A nested call that the old instance takes no more waits as others do") {
  lead_to(old);
  call("outer");
  const auto outer = last;
  old->has_gone = true;
  lead_to(room);
  const auto inner = call("inner", 1h, outer);
  CHECK(inner->received.get().outcomes.empty());
  open();
  CHECK(next->came == std::vector<std::string>{"inner"});
}

TEST_CASE_METHOD(Exchange, "Over its bound the room refuses with a sentence") {
  for (int i = 0; i < 3; ++i) CHECK(call("waits")->received.get().outcomes.empty());
  const auto observer = call("too many");
  CHECK(observer->code() == StatusCode::kResourceExhausted);
  CHECK(observer->text() ==
        "cannot call \"test.Service/Do\": the module disk is being replaced and 3 calls wait for "
        "that; try again later, or raise max_queued_calls");
  open();
  CHECK(next->came.size() == 3);
}

TEST_CASE_METHOD(Exchange, "The bytes of callers that have no account are bounded") {
  call(std::string(100000, 'x'));
  CHECK(call("too many")->code() == StatusCode::kResourceExhausted);
  has_account = true;
  CHECK(call("charged elsewhere")->received.get().outcomes.empty());
  open();
  CHECK(next->came.size() == 2);
}

TEST_CASE_METHOD(Exchange, "A call whose deadline passes, or that is cancelled, leaves the room") {
  const auto late = call("late", 50ms);
  const auto cancelled = call("cancelled");
  last->cancel();
  call("stays");
  REQUIRE(late->await());
  CHECK(late->code() == StatusCode::kDeadlineExceeded);
  CHECK(cancelled->code() == StatusCode::kCancelled);
  open();
  CHECK(next->came == std::vector<std::string>{"stays"});
}

}  // namespace
}  // namespace longshore::core
