// Modules that hang where they are told something: they hold up none but themselves.
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>

#include "hostile_world.h"

namespace longshore::hostile {
namespace {

using namespace std::chrono_literals;

TEST_CASE("A module that hangs in cancel ends nobody's deadlines") {
  Subject hangs("hangs_in_cancel");
  CHECK(hangs.started().call({}, kTimeToReachModule).code == StatusCode::kDeadlineExceeded);
  CHECK(hangs.call({}, kTimeToReachModule).code == StatusCode::kDeadlineExceeded);
  Subject other("never_finishes");
  CHECK(other.started().call({}, kTimeToReachModule).code == StatusCode::kDeadlineExceeded);
  CHECK(other.stop(100ms) != "");
  CHECK(hangs.stop(100ms) != "");
}

TEST_CASE("A module that hangs in a completion holds no thread of the module that it called") {
  World& world = World::get();
  loader::InstanceOptions options;
  options.may_call = std::make_shared<const std::set<std::string, std::less<>>>(
      std::set<std::string, std::less<>>{"hostile.v1.Hostile"});
  Subject hangs("hangs_in_completion", options);
  loader::InstanceOptions alone;
  alone.max_concurrent_calls = 1;
  Subject called("behaves", alone);
  called.started();
  hangs.started();
  const auto method =
      std::make_shared<const router::Method>(called.instance().facts().description.methods.at(0));
  world.router.set_routes(std::make_shared<router::RouteTable>(router::RouteTable{
      .by_method = {
          {method->full_name, router::Route{method, called.instance().shared_from_this()}}}}));
  for (int i = 0; i < 3; ++i) {
    CHECK(hangs.call({}, kTimeToReachModule).code == StatusCode::kDeadlineExceeded);
    CHECK(called.call().message == "well");
  }
  world.router.set_routes(std::make_shared<router::RouteTable>());
  CHECK(hangs.stop(100ms) != "");
  CHECK(called.stop() == "");
}

// A caller that has no room for what it was sent.
class Full final : public router::CallObserver {
 public:
  bool on_message(std::string) override {
    received_ = true;
    return false;
  }
  void on_response(std::string) override {}
  void on_finish(StatusCode, std::string) override {}
  bool received() const { return received_; }

 private:
  std::atomic<bool> received_{false};
};

TEST_CASE("A module that hangs in writable holds no thread of the caller's") {
  Subject hangs("hangs_in_writable");
  hangs.started();
  auto method =
      std::make_shared<router::Method>(hangs.instance().facts().description.methods.at(0));
  method->server_streaming = true;
  const auto full = std::make_shared<Full>();
  router::CallRequest request;
  request.caller = std::make_shared<router::Caller>(router::Caller{"test", "test", nullptr});
  request.observer = full;
  const auto call = World::get().router.call_directly(hangs.instance().shared_from_this(), method,
                                                      std::move(request));
  REQUIRE(eventually([&] { return full->received(); }));
  for (int i = 0; i < 3; ++i) call->resume();  // returns
  call->cancel();
  CHECK(call->outcome() == StatusCode::kCancelled);
  CHECK(hangs.stop(100ms) != "");
}

}  // namespace
}  // namespace longshore::hostile
