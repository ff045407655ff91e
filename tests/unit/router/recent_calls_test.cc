#include "router/recent_calls.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "test_target.h"

namespace longshore::router {
namespace {

using namespace std::chrono_literals;

struct RecordedCalls {
  std::shared_ptr<Method> method = std::make_shared<Method>();
  std::shared_ptr<Caller> caller = std::make_shared<Caller>(Caller{"module:a", "uid:7", nullptr});
  RecentCalls recent;

  void add(uint64_t handle, std::string_view id, std::string_view request = {},
           std::string_view text = {}) {
    const std::shared_ptr<const Method> of = method;
    const std::shared_ptr<const Caller> by = caller;
    const StatusCode code = text.empty() ? StatusCode::kOk : StatusCode::kInternal;
    recent.add({handle, of, by, id, request, Clock::now(), 3ms, code, text});
  }
};

TEST_CASE_METHOD(RecordedCalls, "An answered call is remembered with its object and its outcome") {
  method->object_field = 1;
  CHECK(recent.all().empty());
  add(5, "a-1", "\x0a\x04/dev", "broken");
  const auto all = recent.all();
  REQUIRE(all.size() == 1);
  CHECK(all[0].handle == 5);
  CHECK(all[0].method == method);
  CHECK(all[0].caller == "module:a");
  CHECK(all[0].on_behalf_of == "uid:7");
  CHECK(all[0].request_id == "a-1");
  CHECK(all[0].object == "/dev");
  CHECK(all[0].took == 3ms);
  CHECK(all[0].code == StatusCode::kInternal);
  CHECK(all[0].text == "broken");
}

TEST_CASE_METHOD(RecordedCalls, "Nothing of a request is kept but its object") {
  add(1, "a-1", "\x0a\x08password");
  CHECK(recent.all()[0].object.empty());
  method->object_field = 2;
  add(2, "a-2", "\x0a\x08password");
  CHECK(recent.all()[1].object.empty());
  method->object_field = 1;
  add(3, "a-3",
      "\x0a\x7f"
      "cut off");  // longer than the request says
  CHECK(recent.all()[2].object.empty());
}

TEST_CASE_METHOD(RecordedCalls,
                 "The oldest call makes room, and the order stays that of the answers") {
  for (uint64_t i = 1; i <= RecentCalls::kCapacity + 10; ++i) add(i, "a-" + std::to_string(i));
  const auto all = recent.all();
  REQUIRE(all.size() == RecentCalls::kCapacity);
  for (size_t i = 0; i < all.size(); ++i) REQUIRE(all[i].handle == i + 11);
  CHECK(all.front().request_id == "a-11");
}

TEST_CASE_METHOD(RecordedCalls, "An entry has nothing of the one that it replaces") {
  method->object_field = 1;
  for (size_t i = 0; i < RecentCalls::kCapacity; ++i) add(1, "old", "\x0a\x03old", "old");
  method->object_field = 0;
  add(2, "new");
  const auto last = recent.all().back();
  CHECK(last.request_id == "new");
  CHECK(last.object.empty());
  CHECK(last.text.empty());
  CHECK(last.code == StatusCode::kOk);
}

TEST_CASE_METHOD(RecordedCalls, "Long texts are cut off") {
  method->object_field = 1;
  const std::string path(5000, 'p');
  add(1, "a", "\x0a\x88\x27" + path, std::string(5000, 't'));
  const auto entry = recent.all()[0];
  CHECK(entry.object == std::string(RecentCalls::kMaxObjectBytes, 'p'));
  CHECK(entry.text == std::string(RecentCalls::kMaxTextBytes, 't'));
}

TEST_CASE_METHOD(RecordedCalls, "Long texts make room for themselves, the oldest calls go first") {
  method->object_field = 1;
  // Of all lengths, so that the end of the block is met at every place.
  for (uint64_t i = 1; i <= 20000; ++i) {
    const std::string path(i * 7 % 510, static_cast<char>('a' + i % 26));
    const std::string request = "\x0a" +
                                std::string(1, static_cast<char>(0x80 | (path.size() & 0x7f))) +
                                std::string(1, static_cast<char>(path.size() >> 7)) + path;
    add(i, "a-" + std::to_string(i), request, std::string(i * 13 % 1100, 't'));
    if (i % 97 != 0) continue;
    const auto all = recent.all();
    REQUIRE(all.size() >= std::min<uint64_t>(i, 150));
    REQUIRE(all.back().handle == i);
    for (size_t k = 0; k < all.size(); ++k) {
      const uint64_t number = i + 1 - all.size() + k;
      REQUIRE(all[k].handle == number);
      REQUIRE(all[k].request_id == "a-" + std::to_string(number));
      REQUIRE(all[k].object == std::string(number * 7 % 510, static_cast<char>('a' + number % 26)));
      REQUIRE(all[k].text == std::string(std::min<uint64_t>(number * 13 % 1100, 1024), 't'));
    }
  }
}

TEST_CASE_METHOD(RecordedCalls, "A call of nobody, without a text, is remembered") {
  caller = nullptr;
  for (uint64_t i = 1; i <= RecentCalls::kCapacity + 5; ++i) add(i, {});
  const auto all = recent.all();
  REQUIRE(all.size() == RecentCalls::kCapacity);
  CHECK(all[0].handle == 6);
  CHECK(all[0].caller.empty());
}

TEST_CASE_METHOD(RecordedCalls,
                 "Calls are remembered by several threads, and asked for meanwhile") {
  constexpr uint64_t kRounds = 3000;
  method->object_field = 1;
  std::vector<std::thread> threads;
  for (uint64_t thread = 1; thread <= 2; ++thread) {
    threads.emplace_back([this, thread] {
      for (uint64_t i = 0; i < kRounds; ++i) add(thread, std::to_string(thread), "\x0a\x04/dev");
    });
  }
  for (int round = 0; round < 100; ++round) {
    for (const auto& entry : recent.all()) {
      if (entry.request_id != std::to_string(entry.handle) || entry.object != "/dev") FAIL();
    }
  }
  for (auto& thread : threads) thread.join();
  CHECK(recent.all().size() == RecentCalls::kCapacity);
}

TEST_CASE("The router remembers the calls of modules, and those that it refuses") {
  Timers timers;
  Router router(timers, {});
  const auto target = std::make_shared<TestTarget>();
  const auto method = [](const char* name, const char* module) {
    auto made = std::make_shared<Method>();
    made->service = "test.Service";
    made->full_name = std::string("test.Service/") + name;
    made->module = module;
    return made;
  };
  auto denied = method("Denied", "test");
  denied->denied = true;
  auto routes = std::make_shared<RouteTable>();
  routes->by_method.emplace("test.Service/Do", Route{method("Do", "test"), target});
  routes->by_method.emplace("test.Service/Own", Route{method("Own", ""), target});
  routes->by_method.emplace("test.Service/Denied", Route{denied, target});
  router.set_routes(routes);
  const auto call = [&](const char* name, std::shared_ptr<Call> parent = nullptr) {
    CallRequest request;
    request.method = name;
    request.request_id = "my-id";
    request.caller = std::make_shared<Caller>(Caller{"uid:0", "uid:0", nullptr});
    request.observer = std::make_shared<Recorder>();
    request.parent = std::move(parent);
    return router.call(std::move(request));
  };

  SECTION("when it is answered") {
    const auto it = call("test.Service/Do");
    it->run();
    CHECK(it->has_begun());
    CHECK(router.recent_calls().all().empty());
    it->finish(StatusCode::kNotFound, "gone");
    it->cancel();
    const auto all = router.recent_calls().all();
    REQUIRE(all.size() == 1);
    CHECK(all[0].handle == it->handle());
    CHECK(all[0].code == StatusCode::kNotFound);
    CHECK(all[0].method->module == "test");
  }
  SECTION("also when it never began") {
    const auto it = call("test.Service/Do");
    CHECK_FALSE(it->has_begun());
    it->cancel();
    REQUIRE(router.recent_calls().all().size() == 1);
    CHECK(router.recent_calls().all()[0].code == StatusCode::kCancelled);
  }
  SECTION("but not the agent's own") {
    call("test.Service/Own")->cancel();
    CHECK(router.recent_calls().all().empty());
  }
  SECTION("with the id of the call that a nested one belongs to") {
    const auto outer = call("test.Service/Do");
    outer->run();
    call("test.Service/Do", outer)->cancel();
    outer->cancel();
    CHECK(call("test.Service/Do", outer) == nullptr);
    const auto all = router.recent_calls().all();
    REQUIRE(all.size() == 3);
    for (const auto& entry : all) CHECK(entry.request_id == "my-id");
    CHECK(all[2].text == "the call that it belongs to is over");
  }
  SECTION("when there is no such method, or it is denied, or the target refuses") {
    call("test.Service/None");
    call("test.Service/Denied");
    target->refuses = true;
    call("test.Service/Do");
    const auto all = router.recent_calls().all();
    REQUIRE(all.size() == 3);
    CHECK(all[0].code == StatusCode::kUnimplemented);
    CHECK(all[0].method->full_name == "test.Service/None");
    CHECK(all[0].request_id == "my-id");
    CHECK(all[1].code == StatusCode::kPermissionDenied);
    CHECK(all[2].code == StatusCode::kUnavailable);
  }
}

}  // namespace
}  // namespace longshore::router
