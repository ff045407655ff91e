#include "router/router.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <thread>

#include "test_target.h"

namespace longshore::router {
namespace {

using namespace std::chrono_literals;

using Allowed = std::set<std::string, std::less<>>;

struct RouterFixture {
  RouterFixture() {
    auto routes = std::make_shared<RouteTable>();
    for (const char* name : {"Do", "Denied", "Quick"}) {
      auto method = std::make_shared<Method>();
      method->service = "test.Service";
      method->full_name = std::string("test.Service/") + name;
      method->denied = std::string(name) == "Denied";
      if (std::string(name) == "Quick") method->timeout = 1min;
      routes->by_method.emplace(method->full_name, Route{method, target});
    }
    router.set_routes(routes);
  }

  CallRequest request(std::string_view method) {
    CallRequest request;
    request.method = method;
    request.caller = std::make_shared<Caller>(Caller{"module:a", "uid:0", may_call});
    request.observer = observer = std::make_shared<Recorder>();
    return request;
  }

  Timers timers;
  Router router{timers, {.default_timeout = 1h}};
  std::shared_ptr<TestTarget> target = std::make_shared<TestTarget>();
  std::shared_ptr<Recorder> observer;
  std::shared_ptr<const Allowed> may_call;
};

TEST_CASE_METHOD(RouterFixture,
                 "A method that nobody serves is unimplemented, whatever it is called") {
  for (const std::string method :
       {"test.Service/Other", "test.Service", "", "/", "test.Service/Do/", "/test.Service/Do"}) {
    CHECK_FALSE(router.call(request(method)));
    CHECK(observer->code() == StatusCode::kUnimplemented);
    CHECK(observer->text() == "no enabled module serves the method " + method);
  }
}

TEST_CASE_METHOD(RouterFixture,
                 "What a module would serve that nobody could read is unavailable, not unknown") {
  const std::shared_ptr<const RouteTable> all_known = router.routes();
  auto routes = std::make_shared<RouteTable>(*all_known);
  routes->unknown = {.served = {"test.Service"}, .why = "smb: there is no file"};
  router.set_routes(routes);
  CHECK_FALSE(router.call(request("v1.Smb/New")));
  CHECK(observer->code() == StatusCode::kUnavailable);
  CHECK(observer->text() ==
        "no module that runs serves the method v1.Smb/New; not running: smb: there is no file");
  auto head = request("v1.Smb/New");
  CHECK_FALSE(router.admit(head));
  CHECK(observer->code() == StatusCode::kUnavailable);
  // Of a service that is known so are the methods, and what a module may not call it is not told
  // of.
  CHECK_FALSE(router.call(request("test.Service/Other")));
  CHECK(observer->code() == StatusCode::kUnimplemented);
  may_call = std::make_shared<Allowed>(Allowed{"v1.Smb/New"});
  CHECK_FALSE(router.call(request("v1.Smb/New")));
  CHECK(observer->code() == StatusCode::kUnavailable);
  CHECK_FALSE(router.call(request("v1.Smb/Remove")));
  CHECK(observer->code() == StatusCode::kUnimplemented);
  may_call = nullptr;
  router.set_routes(all_known);
  CHECK_FALSE(router.call(request("v1.Smb/New")));
  CHECK(observer->code() == StatusCode::kUnimplemented);
}

TEST_CASE_METHOD(RouterFixture, "A module that comes to be known is unavailable all the while") {
  auto method = std::make_shared<Method>();
  method->full_name = "v1.Smb/New";
  method->service = "v1.Smb";
  target->refuses = true;
  const auto described = std::make_shared<RouteTable>();
  described->by_method.emplace(method->full_name, Route{method, target});
  const auto not_read = std::make_shared<RouteTable>();
  not_read->unknown = {.served = {}, .why = "smb: there is no file"};
  router.set_routes(not_read);
  std::atomic<bool> is_over{false};
  std::thread changes([&] {
    while (!is_over) {
      router.set_routes(described);
      router.set_routes(not_read);
    }
  });
  int others = 0;
  for (int i = 0; i < 50'000; ++i) {
    router.call(request("v1.Smb/New"));
    others += observer->code() != StatusCode::kUnavailable;
  }
  is_over = true;
  changes.join();
  CHECK(others == 0);
}

TEST_CASE_METHOD(RouterFixture, "A denied method is refused with the key that denies it") {
  CHECK_FALSE(router.call(request("test.Service/Denied")));
  CHECK(observer->code() == StatusCode::kPermissionDenied);
  CHECK(observer->text() ==
        "the method test.Service/Denied is denied by deny_methods in the configuration");
}

TEST_CASE_METHOD(RouterFixture,
                 "A module calls what may_call names: methods, or all of a service") {
  may_call = std::make_shared<Allowed>(Allowed{"test.Service/Quick", "test.Serv"});
  CHECK(router.call(request("test.Service/Quick")));
  CHECK_FALSE(router.call(request("test.Service/Do")));
  CHECK(observer->code() == StatusCode::kPermissionDenied);
  CHECK(observer->text() ==
        "module:a may not call test.Service/Do; its may_call in the configuration does not name "
        "it");
  may_call = std::make_shared<Allowed>(Allowed{"test.Service"});
  CHECK(router.call(request("test.Service/Do")));
  CHECK_FALSE(router.call(request("test.Service/Denied")));
  may_call = std::make_shared<Allowed>();
  CHECK_FALSE(router.call(request("test.Service/Do")));
}

TEST_CASE_METHOD(RouterFixture,
                 "The earliest deadline counts: of the method, the caller, the parent") {
  const auto start = Clock::now();
  const auto remaining = [&](const std::shared_ptr<Call>& call) {
    return std::chrono::duration_cast<std::chrono::minutes>(call->deadline() - start);
  };
  CHECK(remaining(router.call(request("test.Service/Do"))) == 60min);
  CHECK(remaining(router.call(request("test.Service/Quick"))) == 1min);
  auto longer = request("test.Service/Quick");
  longer.timeout = 10min;
  CHECK(remaining(router.call(std::move(longer))) == 1min);
  auto shorter = request("test.Service/Do");
  shorter.timeout = 10min;
  const auto parent = router.call(std::move(shorter));
  CHECK(remaining(parent) == 10min);
  auto nested = request("test.Service/Do");
  nested.timeout = 20min;
  nested.parent = parent;
  CHECK(remaining(router.call(std::move(nested))) == 10min);
  auto centuries = request("test.Service/Do");
  centuries.timeout = std::chrono::nanoseconds::max();
  CHECK(remaining(router.call(std::move(centuries))) == 60min);
}

TEST_CASE_METHOD(RouterFixture, "Request ids are the caller's, the parent's, or new ones") {
  const auto first = router.call(request("test.Service/Do"));
  const auto second = router.call(request("test.Service/Do"));
  CHECK(first->request_id() != second->request_id());
  auto named = request("test.Service/Do");
  named.request_id = "mine";
  const auto parent = router.call(std::move(named));
  CHECK(parent->request_id() == "mine");
  auto nested = request("test.Service/Do");
  nested.parent = parent;
  CHECK(router.call(std::move(nested))->request_id() == "mine");
}

TEST_CASE_METHOD(RouterFixture, "Calls that run keep their target when the routes are replaced") {
  const auto call = router.call(request("test.Service/Do"));
  const auto running = observer;
  router.set_routes(std::make_shared<RouteTable>());
  CHECK_FALSE(router.call(request("test.Service/Do")));
  CHECK(observer->code() == StatusCode::kUnimplemented);
  call->run();
  CHECK(target->count("execute") == 1);
  CHECK(running->received.get().outcomes.empty());
}

}  // namespace
}  // namespace longshore::router
