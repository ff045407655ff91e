// Calls that come to a target when the routes lead elsewhere already, or that move while they wait.
#include <catch2/catch.hpp>

#include "test_target.h"

namespace longshore::router {
namespace {

using namespace std::chrono_literals;

struct MovedCallsWorld {
  void lead_to(const std::shared_ptr<Target>& target) {
    auto method = std::make_shared<Method>();
    method->full_name = "test.Service/Do";
    auto routes = std::make_shared<RouteTable>();
    if (target) routes->by_method.emplace(method->full_name, Route{method, target});
    router.set_routes(std::move(routes));
  }

  std::shared_ptr<Call> call(std::chrono::nanoseconds timeout = 1h) {
    CallRequest request;
    request.method = "test.Service/Do";
    request.caller = std::make_shared<Caller>(Caller{"uid:0", "uid:0", nullptr});
    request.timeout = timeout;
    request.observer = observer = std::make_shared<Recorder>();
    return router.call(std::move(request));
  }

  Timers timers;
  Router router{timers, {.default_timeout = 1h}};
  std::shared_ptr<TestTarget> old_one = std::make_shared<TestTarget>();
  std::shared_ptr<TestTarget> new_one = std::make_shared<TestTarget>();
  std::shared_ptr<Recorder> observer;
};

// Refuses a call once, after it has had the routes changed: what a call meets that found its route
// just before.
class Leaving final : public Target {
 public:
  explicit Leaving(std::function<void()> leave) : leave_(std::move(leave)) {}
  Result<void> submit(std::shared_ptr<Call>) override {
    leave_();
    return Error::of_text(StatusCode::kUnavailable, "gone");
  }
  bool has_moved() const override { return true; }
  void execute(Call&) override {}

 private:
  const std::function<void()> leave_;
};

TEST_CASE_METHOD(MovedCallsWorld,
                 "A call that came by old routes goes by the new ones, and fails nowhere") {
  lead_to(std::make_shared<Leaving>([&] { lead_to(new_one); }));
  const auto it = call();
  CHECK(observer->received.get().outcomes.empty());
  CHECK(it->belongs_to(*new_one));
  it->run();
  CHECK(new_one->count("execute") == 1);
  CHECK(it->send("answer") == LONGSHORE_OK);
  it->finish(StatusCode::kOk, {});
  CHECK(observer->code() == StatusCode::kOk);
  CHECK(new_one->count("end") == 1);
}

TEST_CASE_METHOD(MovedCallsWorld, "Where the new routes have no such method, the call says so") {
  lead_to(std::make_shared<Leaving>([&] { lead_to(nullptr); }));
  call();
  CHECK(observer->code() == StatusCode::kUnimplemented);
  CHECK(observer->text() == "no enabled module serves the method test.Service/Do");
  CHECK(router.calls().size() == 0);
}

TEST_CASE_METHOD(MovedCallsWorld,
                 "A refusal of a target that is still the right one is the outcome") {
  old_one->refuses = true;
  lead_to(old_one);
  call();
  CHECK(observer->code() == StatusCode::kUnavailable);
}

TEST_CASE_METHOD(MovedCallsWorld, "A call that moves keeps its deadline, and ends where it is") {
  lead_to(old_one);
  const auto it = call(200ms);
  CHECK(it->move_to(new_one));
  REQUIRE(observer->await());
  CHECK(observer->code() == StatusCode::kDeadlineExceeded);
  CHECK(new_one->await("end"));
  CHECK(old_one->count("end") == 0);
}

TEST_CASE_METHOD(MovedCallsWorld, "A call that is over moves nowhere") {
  lead_to(old_one);
  const auto it = call();
  it->cancel();
  CHECK(it->move_to(new_one));
  CHECK(it->belongs_to(*old_one));
  CHECK(old_one->count("end") == 1);
  CHECK(observer->received.get().outcomes.size() == 1);
}

TEST_CASE_METHOD(MovedCallsWorld, "A call that a second target has no place for is refused by it") {
  lead_to(old_one);
  const auto it = call();
  new_one->refuses = true;
  CHECK(it->move_to(new_one));
  CHECK(observer->code() == StatusCode::kUnavailable);
  CHECK(router.calls().size() == 0);
  CHECK(new_one->count("end") == 0);
}

}  // namespace
}  // namespace longshore::router
