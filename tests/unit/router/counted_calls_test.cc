// Which calls are counted, and as what: good, failed, refused, cancelled, streamed and nested ones.
#include <catch2/catch.hpp>
#include <set>

#include "observe/call_metrics.h"
#include "router/router.h"
#include "test_target.h"

namespace longshore::router {
namespace {

using namespace std::chrono_literals;
using observe::MethodMetrics;

struct CountedCalls {
  CountedCalls() {
    auto routes = std::make_shared<RouteTable>();
    for (const std::string name : {"Do", "Denied", "Stream"}) {
      auto method = std::make_shared<Method>();
      method->service = "test.Service";
      method->name = name;
      method->full_name = "test.Service/" + name;
      method->denied = name == "Denied";
      method->server_streaming = name == "Stream";
      method->metrics = metrics_of(name);
      routes->by_method.emplace(method->full_name, Route{method, target});
    }
    router.set_routes(routes);
  }

  std::shared_ptr<MethodMetrics> metrics_of(const std::string& name) {
    return metrics.of("test.Service", name, name == "Stream");
  }
  // "started handled failed sent" of a method.
  std::string figures(const std::string& name) {
    const auto method = metrics_of(name);
    const MethodMetrics::Figures all = method->figures();
    return std::to_string(all.started) + ' ' + std::to_string(all.handled) + ' ' +
           std::to_string(all.failed) + ' ' + std::to_string(method->snapshot().sent);
  }
  uint64_t handled_with(const std::string& name, StatusCode code) {
    return metrics_of(name)->snapshot().handled[static_cast<size_t>(code)];
  }

  std::shared_ptr<Call> begin(const std::string& name, bool counted = true) {
    CallRequest request;
    request.method = routed = "test.Service/" + name;
    request.caller = caller;
    request.timeout = timeout;
    request.observer = observer = std::make_shared<Recorder>();
    request.counted = counted;
    return router.call(std::move(request));
  }

  observe::CallMetrics metrics;
  Timers timers;
  Router router{timers, {.default_timeout = 1h}};
  std::shared_ptr<TestTarget> target = std::make_shared<TestTarget>();
  std::shared_ptr<const Caller> caller =
      std::make_shared<Caller>(Caller{"uid:0", "uid:0", nullptr});
  std::optional<std::chrono::nanoseconds> timeout;
  std::shared_ptr<Recorder> observer;
  std::string routed;
};

TEST_CASE_METHOD(CountedCalls, "A call that goes well is started, sent and handled") {
  const auto call = begin("Do");
  CHECK(figures("Do") == "1 0 0 0");
  call->run();
  call->send("answer");
  CHECK(figures("Do") == "1 0 0 0");  // the module may still fail
  call->finish(StatusCode::kOk, "");
  CHECK(figures("Do") == "1 1 0 1");
  CHECK(metrics_of("Do")->figures().seconds > 0);
}

TEST_CASE_METHOD(CountedCalls,
                 "A call that fails sends nothing, also when it had an answer ready") {
  const auto call = begin("Do");
  call->run();
  call->send("answer");
  call->finish(StatusCode::kNotFound, "gone");
  CHECK(figures("Do") == "1 1 1 0");
  CHECK(handled_with("Do", StatusCode::kNotFound) == 1);
}

TEST_CASE_METHOD(CountedCalls, "A call that the configuration or its target refuses is counted") {
  begin("Denied");
  CHECK(figures("Denied") == "1 1 1 0");
  CHECK(handled_with("Denied", StatusCode::kPermissionDenied) == 1);
  target->refuses = true;
  begin("Do");
  CHECK(figures("Do") == "1 1 1 0");
  CHECK(handled_with("Do", StatusCode::kUnavailable) == 1);
  caller = std::make_shared<Caller>(
      Caller{"uid:1", "uid:1", std::make_shared<std::set<std::string, std::less<>>>()});
  begin("Do");
  CHECK(figures("Do") == "2 2 2 0");
  CHECK(handled_with("Do", StatusCode::kPermissionDenied) == 1);
}

TEST_CASE_METHOD(CountedCalls,
                 "A call that is cancelled or late is handled once, when its caller is told") {
  const auto cancelled = begin("Do");
  cancelled->run();
  cancelled->cancel();
  CHECK(figures("Do") == "1 1 1 0");
  cancelled->finish(StatusCode::kOk, "");
  CHECK(figures("Do") == "1 1 1 0");
  CHECK(handled_with("Do", StatusCode::kCancelled) == 1);
  timeout = 100ms;  // which are not over when the call begins
  const auto late = begin("Do");
  late->run();
  REQUIRE(observer->await());
  CHECK(handled_with("Do", StatusCode::kDeadlineExceeded) == 1);
  late->finish(StatusCode::kOk, "");
  CHECK(figures("Do") == "2 2 2 0");
}

TEST_CASE_METHOD(CountedCalls, "Every message of a stream that its caller gets is counted") {
  const auto call = begin("Stream");
  call->run();
  for (int i = 0; i < 3; ++i) call->send("message");
  CHECK(figures("Stream") == "1 0 0 3");
  observer->has_room = false;
  CHECK(call->send("the last that fits") == LONGSHORE_OK);
  CHECK(call->send("too many") == LONGSHORE_WOULD_BLOCK);
  call->finish(StatusCode::kOk, "");
  CHECK(figures("Stream") == "1 1 0 4");
}

TEST_CASE_METHOD(CountedCalls,
                 "Calls that came over no endpoint, and methods of nobody, are not counted") {
  const auto call = begin("Do", false);
  call->run();
  call->send("answer");
  call->finish(StatusCode::kOk, "");
  begin("Denied", false);
  CHECK(figures("Do") == "0 0 0 0");
  CHECK(figures("Denied") == "0 0 0 0");
  CHECK_FALSE(begin("Unknown"));
  CHECK(metrics.all().size() == 3);
}

TEST_CASE_METHOD(CountedCalls, "A method without metrics is called all the same") {
  auto routes = std::make_shared<RouteTable>();
  auto method = std::make_shared<Method>();
  method->full_name = "test.Service/Do";
  routes->by_method.emplace(method->full_name, Route{method, target});
  router.set_routes(routes);
  const auto call = begin("Do");
  call->run();
  call->send("answer");
  call->finish(StatusCode::kOk, "");
  CHECK(observer->code() == StatusCode::kOk);
  CHECK(figures("Do") == "0 0 0 0");
}

}  // namespace
}  // namespace longshore::router
