// Calls that are decided on by their heads, and what may change until their requests are there.
#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "router/router.h"
#include "test_target.h"
#include "user_ids.h"

namespace longshore::router {
namespace {

using namespace std::chrono_literals;

struct AdmissionFixture {
  AdmissionFixture() { router.set_routes(routes()); }

  std::shared_ptr<RouteTable> routes() const {
    auto routes = std::make_shared<RouteTable>();
    auto method = std::make_shared<Method>();
    method->service = "test.Service";
    method->full_name = "test.Service/Do";
    method->denied = is_denied;
    method->timeout = 1min;
    method->metrics = metrics;
    routes->by_method.emplace(method->full_name, Route{method, target});
    return routes;
  }

  CallRequest request(std::string_view method = "test.Service/Do") {
    CallRequest request;
    request.method = method;
    request.caller = std::make_shared<Caller>(Caller{"uid:1", "uid:1", nullptr, ids_of(1)});
    request.observer = observer = std::make_shared<Recorder>();
    request.counted = true;
    return request;
  }

  uint64_t handled(StatusCode code) const {
    return metrics->snapshot().handled[static_cast<size_t>(code)];
  }

  bool is_denied = false;
  observe::CallMetrics call_metrics;
  std::shared_ptr<observe::MethodMetrics> metrics = call_metrics.of("test.Service", "Do", false);
  Timers timers;
  Router router{timers, {.default_timeout = 1h}};
  std::shared_ptr<TestTarget> target = std::make_shared<TestTarget>();
  std::shared_ptr<Recorder> observer;
};

TEST_CASE_METHOD(AdmissionFixture, "What the head alone forbids is refused without a request") {
  SECTION("a method that nobody serves") {
    CallRequest head = request("test.Service/Other");
    CHECK_FALSE(router.admit(head));
    CHECK(observer->code() == StatusCode::kUnimplemented);
  }
  SECTION("a method that is denied") {
    is_denied = true;
    router.set_routes(routes());
    CallRequest head = request();
    CHECK_FALSE(router.admit(head));
    CHECK(observer->code() == StatusCode::kPermissionDenied);
    CHECK(handled(StatusCode::kPermissionDenied) == 1);
  }
  SECTION("what the endpoint does not allow the caller") {
    CallRequest head = request();
    head.allowed = std::make_shared<MethodSet>();
    CHECK_FALSE(router.admit(head));
    CHECK(observer->code() == StatusCode::kPermissionDenied);
  }
}

TEST_CASE_METHOD(AdmissionFixture, "The deadline begins with the head") {
  CallRequest head = request();
  head.begun = Clock::now() - 10s;
  head.timeout = 25s;
  const auto admission = router.admit(head);
  REQUIRE(admission);
  CHECK(admission->deadline.at == *head.begun + 25s);
  const auto begun = *head.begun;
  const auto call = router.call(*admission, std::move(head), false);
  REQUIRE(call);
  CHECK(call->deadline() == begun + 25s);
  CHECK(call->started() == begun);
}

TEST_CASE_METHOD(AdmissionFixture, "A call whose deadline has passed does not begin") {
  CallRequest head = request();
  head.timeout = GENERATE(0s, 5s);
  head.begun = Clock::now() - 5s;
  const auto admission = router.admit(head);
  REQUIRE(admission);
  CHECK_FALSE(router.call(*admission, std::move(head), false));
  CHECK(observer->code() == StatusCode::kDeadlineExceeded);
  CHECK(observer->text() == "the deadline passed before the call began");
  CHECK(handled(StatusCode::kDeadlineExceeded) == 1);
}

TEST_CASE_METHOD(AdmissionFixture, "Rights that were revoked meanwhile hold for the request") {
  CallRequest head = request();
  const auto admission = router.admit(head);
  REQUIRE(admission);
  SECTION("the method is denied now") {
    is_denied = true;
    router.set_routes(routes());
    CHECK_FALSE(router.call(*admission, std::move(head), false));
    CHECK(observer->code() == StatusCode::kPermissionDenied);
  }
  SECTION("the module is gone") {
    router.set_routes(std::make_shared<RouteTable>());
    CHECK_FALSE(router.call(*admission, std::move(head), false));
    CHECK(observer->code() == StatusCode::kUnimplemented);
  }
  SECTION("the endpoint allows it no more") {
    head.allowed = std::make_shared<MethodSet>();
    CHECK_FALSE(router.call(*admission, std::move(head), true));
    CHECK(observer->code() == StatusCode::kPermissionDenied);
  }
  CHECK(metrics->snapshot().started == 1);
}

TEST_CASE_METHOD(AdmissionFixture, "A call goes to the target that serves it when it is complete") {
  CallRequest head = request();
  const auto admission = router.admit(head);
  REQUIRE(admission);
  const auto before = std::exchange(target, std::make_shared<TestTarget>());
  router.set_routes(routes());
  const auto call = router.call(*admission, std::move(head), false);
  REQUIRE(call);
  CHECK(call->belongs_to(*target));
  CHECK_FALSE(call->belongs_to(*before));
  CHECK(metrics->snapshot().started == 1);
}

TEST_CASE_METHOD(AdmissionFixture, "A request that never comes is counted, and told to nobody") {
  CallRequest head = request();
  head.request = "part of a secret";
  const auto admission = router.admit(head);
  REQUIRE(admission);
  router.abandon(*admission, head, StatusCode::kCancelled, "gone");
  CHECK(handled(StatusCode::kCancelled) == 1);
  CHECK(observer->received.get().outcomes.empty());
  CHECK(head.request.find("secret") == std::string::npos);
}

}  // namespace
}  // namespace longshore::router
