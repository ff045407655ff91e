// The reserve of memory: what an allocation that fails takes of it, and what calls are told while
// it is spent.
#include "router/memory_reserve.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "router/router.h"
#include "rpc/bad_alloc_scope.h"
#include "test_target.h"
#include "user_ids.h"

using namespace longshore;
using namespace longshore::router;

namespace {

bool system_gives = true;

void* allocate(size_t bytes) { return system_gives ? std::malloc(bytes) : nullptr; }

int ends = 0;
void end() { ++ends; }

}  // namespace

TEST_CASE("A reserve gives block by block what it has, and is whole again when it is asked") {
  MemoryReserve reserve(end);
  CHECK(reserve.is_whole());
  CHECK(reserve.uses() == 0);
  size_t given = 0;
  while (reserve.give()) ++given;
  CHECK(given > 1);
  CHECK(reserve.uses() == given);
  CHECK_FALSE(reserve.give());
  CHECK(reserve.is_whole());
  CHECK(reserve.give());
}

TEST_CASE("operator new asks the reserve; what it lacks ends a connection, or else the process") {
  using rpc::BadAllocScope;
  ends = 0;
  {
    MemoryReserve reserve(end);
    const std::new_handler handler = std::get_new_handler();
    REQUIRE(handler != nullptr);
    CHECK_NOTHROW(handler());
    CHECK(reserve.uses() == 1);
    while (reserve.give()) continue;
    const BadAllocScope connection(BadAllocScope::Kind::kIsCaught);
    CHECK_THROWS_AS(handler(), std::bad_alloc);
    CHECK(ends == 0);
    {
      const BadAllocScope call(BadAllocScope::Kind::kIsNotCaught);
      CHECK_THROWS_AS(handler(), std::bad_alloc);
      CHECK(ends == 1);
    }
    CHECK_THROWS_AS(handler(), std::bad_alloc);
    CHECK(ends == 1);
  }
  CHECK(std::get_new_handler() == nullptr);
}

TEST_CASE("On a thread of no connection's want of memory ends the process") {
  ends = 0;
  MemoryReserve reserve(end);
  while (reserve.give()) continue;
  CHECK_THROWS_AS(std::get_new_handler()(), std::bad_alloc);
  CHECK(ends == 1);
}

TEST_CASE("There is no reserve where there is no memory for it") {
  system_gives = false;
  CHECK_THROWS_AS(std::make_unique<MemoryReserve>(end, allocate), std::bad_alloc);
  system_gives = true;
  CHECK(std::get_new_handler() == nullptr);
}

TEST_CASE("No call begins while the reserve is spent and the system gives no more") {
  MemoryReserve reserve(end, allocate);
  Timers timers;
  RouterOptions options;
  options.memory = &reserve;
  Router router(timers, options);
  const auto target = std::make_shared<TestTarget>();
  const auto method = std::make_shared<Method>();
  method->full_name = "v1.Disk/List";
  router.set_routes(std::make_shared<RouteTable>(RouteTable{
      .by_method = {{method->full_name, Route{std::shared_ptr<const Method>(method), target}}}}));
  const auto request_to = [&](const std::shared_ptr<Recorder>& recorder) {
    CallRequest request;
    request.method = method->full_name;
    request.caller = std::make_shared<Caller>(Caller{"uid:7", "uid:7", nullptr, ids_of(7), 1});
    request.observer = recorder;
    return request;
  };
  const auto call = [&] {
    const auto recorder = std::make_shared<Recorder>();
    const auto begun = router.call(request_to(recorder));
    if (begun) {
      begun->run();
      begun->send("done");
      begun->finish(StatusCode::kOk, {});
    }
    return recorder;
  };
  CHECK(call()->code() == StatusCode::kOk);
  const auto early = std::make_shared<Recorder>();
  CallRequest head = request_to(early);
  const auto admission = router.admit(head);
  REQUIRE(admission);
  system_gives = false;
  REQUIRE(reserve.give());
  CHECK(call()->code() == StatusCode::kResourceExhausted);
  CHECK(call()->text().find("no more memory") != std::string::npos);
  // Nor one whose head came before.
  CHECK(router.call(*admission, std::move(head), false) == nullptr);
  CHECK(early->code() == StatusCode::kResourceExhausted);
  system_gives = true;
  CHECK(call()->code() == StatusCode::kOk);
}
