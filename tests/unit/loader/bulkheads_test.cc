// Calls that hang, and what they may take from others: a module of the SDK's wrapper whose calls
// say what they would hang on, and hang until the test lets them go.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "loader/instance.h"
#include "longshore/module.hpp"
#include "tests/support/eventually.h"
#include "tests/unit/router/test_target.h"

namespace longshore::loader {
namespace {

using namespace std::chrono_literals;
using module::v1::Strings;
using test::eventually;

const std::string kGate = "acme.gate.v1.Gate";
const std::string kEnter = kGate + "/Enter";

// `values`: what the call would hang on, one after the other, if it says so, and its object, which
// for the agent is what the field says last. It asks for all of them, whatever is answered.
class GateModule final : public Module {
 public:
  GateModule() { last = this; }
  Result<void> start(const Settings&, std::string_view) override {
    add_service(kGate, *this).unary("Enter", &GateModule::enter);
    return {};
  }

  Result<Strings> enter(Context call, const Strings& request) {
    invoked.change([](size_t& count) { ++count; });
    hung.wait([&](const auto& all) { return !all.contains("door"); }, 60s);
    const int keys = request.values_size() - 1;
    std::string place = request.values(keys);
    Result<void> entered;
    for (int i = 0; i < keys; ++i) {
      place = request.values(i);
      if (auto next = call.enter_bulkhead(place); !next) entered = next.error();
    }
    if (!entered) {
      hung.wait([&](const auto& all) { return !all.contains("exit"); }, 60s);
      if (!is_rude) return entered.error();
      longshore::detail::finish(call, StatusCode::kUnavailable, {});
      if (call.enter_bulkhead("elsewhere")) entered_late.change([](size_t& count) { ++count; });
      return entered.error();
    }
    inside.change([&](auto& all) { all.insert(place); });
    hung.wait([&](const auto& all) { return !all.contains(place); }, 60s);
    inside.change([&](auto& all) { all.erase(all.find(place)); });
    return request;
  }
  size_t inside_of(const std::string& place) const { return inside.get().count(place); }
  void let_go(const std::string& place) {
    hung.change([&](auto& all) { all.erase(place); });
  }

  static inline GateModule* last = nullptr;  // made
  router::Watched<std::set<std::string>> hung;
  router::Watched<std::multiset<std::string>> inside;
  router::Watched<size_t> invoked;
  std::atomic<bool> is_rude = false;  // goes on with a call that it has given back
  router::Watched<size_t> entered_late;
};

class GateCode final : public ModuleCode {
 public:
  GateCode() : ModuleCode(std::make_shared<ModuleFacts>()) {}
  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    return longshore::detail::Trampolines<GateModule>::create(host, self, functions);
  }
};

// As the thread that reads requests: each call at once, on a thread that the agent gave.
class OwnThreads final : public router::CallRunner {
 public:
  ~OwnThreads() override {
    // A thread that is waited for may begin another yet, or be about to note it.
    for (std::vector<std::thread> left = take(); !left.empty(); left = take()) {
      for (std::thread& thread : left) thread.join();
    }
  }
  bool takes(const router::Method&) const override { return true; }
  void run_soon(std::shared_ptr<router::Work> work, router::WorkerPool&) override {
    const std::lock_guard lock(mutex_);  // calls that waited are begun by those that end
    threads_.emplace_back([work = std::move(work)] { work->run(); });
  }

 private:
  std::vector<std::thread> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(threads_, {});
  }

  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

struct Begun {
  std::shared_ptr<router::Recorder> recorder;
  std::shared_ptr<router::Call> call;
};

struct GateWorld {
  GateWorld() {
    options.name = "gate";
    options.max_concurrent_calls = 4;  // two of a bulkhead
    options.max_queued_calls = 8;      // four behind one
    enter_method->full_name = kEnter;
    enter_method->service = kGate;
    enter_method->name = "Enter";
    enter_method->object_field = 1;
    enter_method->object_type = 9;  // TYPE_STRING
  }
  ~GateWorld() {
    if (!instance) return;
    GateModule::last->hung.change([](auto& all) { all.clear(); });
    CHECK(instance->stop(router::Clock::now() + 10s));
  }

  GateModule& start() {
    instance = Instance::create(code, options, router, *log).value();
    REQUIRE(instance->start({}, {}));
    return *GateModule::last;
  }
  // `values`: the object, then the keys.
  Begun begin(std::vector<std::string> values, std::chrono::nanoseconds timeout = 60s) {
    std::rotate(values.begin(), values.begin() + 1, values.end());
    Strings message;
    for (const std::string& value : values) message.add_values(value);
    auto recorder = std::make_shared<router::Recorder>();
    router::CallRequest request;
    request.request = message.SerializeAsString();
    request.caller = std::make_shared<router::Caller>(router::Caller{"test", "test", nullptr});
    request.timeout = timeout;
    request.observer = recorder;
    request.runner = runner;
    return {recorder, router.call_directly(instance, enter_method, std::move(request))};
  }
  // Calls for `key`, of which no two have the same object.
  std::vector<Begun> begin_many(size_t count, const std::string& key,
                                std::chrono::nanoseconds timeout = 60s) {
    std::vector<Begun> begun;
    for (size_t i = 0; i < count; ++i) {
      begun.push_back(begin({key + "/" + std::to_string(i), key}, timeout));
    }
    return begun;
  }
  bool goes_well(const std::vector<std::string>& values) {
    const Begun well = begin(values, 30s);
    return well.recorder->await() && well.recorder->code() == StatusCode::kOk;
  }

  const std::shared_ptr<GateCode> code = std::make_shared<GateCode>();
  const std::shared_ptr<router::Method> enter_method = std::make_shared<router::Method>();
  router::CallRunner* runner = nullptr;
  InstanceOptions options;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  router::Timers timers;
  router::Router router{timers, {}};
  std::shared_ptr<Instance> instance;
};

TEST_CASE_METHOD(GateWorld, "Calls that hang on one thing take half of the places, others go on") {
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"dead"}; });
  const auto many = begin_many(6, "dead");
  REQUIRE(eventually(
      [&] { return module.inside_of("dead") == 2 && instance->figures().waiting == 4; }));
  for (int i = 0; i < 20; ++i) CHECK(goes_well({"object", "alive"}));
  CHECK(module.inside_of("dead") == 2);
  module.let_go("dead");
  for (const Begun& each : many) {
    REQUIRE(each.recorder->await());
    CHECK(each.recorder->code() == StatusCode::kOk);
    CHECK(each.recorder->received.get().messages.size() == 1);
  }
  CHECK(instance->figures().failed == 0);
}

TEST_CASE_METHOD(GateWorld, "Calls that name nothing else wait behind others for their object") {
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"disk-1"}; });
  std::vector<Begun> many;
  for (int i = 0; i < 6; ++i) many.push_back(begin({"disk-1"}));
  REQUIRE(eventually([&] { return module.inside_of("disk-1") == 2; }));
  CHECK(instance->figures().waiting == 4);
  CHECK(module.invoked.get() == 2);  // what the agent knows costs the module nothing
  CHECK(goes_well({"disk-2"}));
  module.let_go("disk-1");
  for (const Begun& each : many)
    CHECK((each.recorder->await() && each.recorder->code() == StatusCode::kOk));
}

TEST_CASE_METHOD(GateWorld, "A call that is ended while it waits says behind what") {
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"dead", "disk-1"}; });
  const auto first = begin_many(2, "dead");
  REQUIRE(eventually([&] { return module.inside_of("dead") == 2; }));
  const Begun late = begin({"a name", "dead"}, 1s);
  REQUIRE(late.recorder->await());
  CHECK(late.recorder->code() == StatusCode::kDeadlineExceeded);
  CHECK(late.recorder->text() ==
        "the deadline passed before the call began; it waited behind other calls for \"dead\"");
  // It is answered before it leaves.
  REQUIRE(eventually([&] { return instance->figures().waiting == 0; }));
  const Begun cancelled = begin({"a name", "dead"});
  REQUIRE(eventually([&] { return instance->figures().waiting == 1; }));
  cancelled.call->cancel();
  REQUIRE(cancelled.recorder->await());
  CHECK(cancelled.recorder->code() == StatusCode::kCancelled);
  CHECK(cancelled.recorder->text() ==
        "the caller cancelled the call; it waited behind other calls for \"dead\"");
  CHECK(eventually([&] { return instance->figures().waiting == 0; }));
}

TEST_CASE_METHOD(GateWorld, "Behind one thing no more calls wait than half of the queue") {
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"dead"}; });
  const auto many = begin_many(6, "dead");
  REQUIRE(eventually([&] { return instance->figures().waiting == 4; }));
  const Begun refused = begin({"a name", "dead"});
  REQUIRE(refused.recorder->await());
  CHECK(refused.recorder->code() == StatusCode::kResourceExhausted);
  CHECK(refused.recorder->text() ==
        "cannot call \"" + kEnter +
            "\": 2 calls of the module gate for \"dead\" run, and no more may wait behind "
            "them; try again later; the device or server behind it is slow or does not answer");
  CHECK(goes_well({"object", "alive"}));
}

TEST_CASE_METHOD(GateWorld, "Calls on their way to the queue have their places in it") {
  options.max_concurrent_calls = 8;
  options.max_calls_per_bulkhead = 1;
  options.max_queued_calls = 2;  // one behind one thing
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"dead", "exit"}; });
  const Begun first = begin({"a name", "dead"});
  REQUIRE(eventually([&] { return module.inside_of("dead") == 1; }));
  const auto many = begin_many(4, "dead");
  const auto refused = [&] {
    return std::ranges::count_if(many, [](const Begun& each) {
      const auto outcomes = each.recorder->received.get().outcomes;
      return !outcomes.empty() && outcomes[0].first == StatusCode::kResourceExhausted;
    });
  };
  CHECK(eventually([&] { return refused() == 3; }));
  CHECK(instance->figures().waiting == 0);
  module.let_go("exit");
  CHECK(eventually([&] { return instance->figures().waiting == 1; }));
  module.let_go("dead");
  for (const Begun& each : many) CHECK(each.recorder->await());
  CHECK(refused() == 3);
}

TEST_CASE_METHOD(GateWorld, "Stuck calls take no places, and end those that wait behind them") {
  options.max_stuck_calls = 1;
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"a", "b", "c"}; });
  for (const char* key : {"a", "b", "c"}) {
    const auto stuck = begin_many(2, key, 1s);
    REQUIRE(eventually([&] { return module.inside_of(key) == 2; }));
    const Begun behind = begin({"a name", key});
    REQUIRE(behind.recorder->await());
    CHECK(behind.recorder->code() == StatusCode::kUnavailable);
    CHECK(behind.recorder->text() ==
          "earlier calls are stuck in the module; it waited behind other "
          "calls for \"" +
              std::string(key) + '"');
    REQUIRE(eventually([&] { return instance->figures().stuck % 2 == 0; }));
    const Begun refused = begin({"a name", key});
    REQUIRE(refused.recorder->await());
    CHECK(refused.recorder->code() == StatusCode::kUnavailable);
  }
  CHECK(instance->figures().stuck == 6);  // of four places
  CHECK(instance->figures().degraded ==
        "6 calls are stuck past the deadline for \"a\" (2), \"b\" (2), \"c\" (2); the device or "
        "server behind does not answer, or the module hangs");
  for (int i = 0; i < 20; ++i) CHECK(goes_well({"object", "alive"}));
  module.let_go("a");
  REQUIRE(eventually([&] { return instance->figures().stuck == 4; }));
  CHECK(goes_well({"a name", "a"}));
}

TEST_CASE_METHOD(GateWorld,
                 "A call that asks for two things holds each once, and lets go of both") {
  options.max_concurrent_calls = 8;
  options.max_calls_per_bulkhead = 2;
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"a", "b"}; });
  const auto of_a = begin_many(2, "a");
  const auto of_b = begin_many(2, "b");
  REQUIRE(eventually([&] { return module.inside_of("a") == 2 && module.inside_of("b") == 2; }));
  for (const auto& keys : {std::pair("a", "b"), std::pair("b", "a")}) {
    for (int i = 0; i < 3; ++i) {
      const Begun both = begin({"a name", keys.first, keys.second});
      REQUIRE(eventually([&] { return instance->figures().waiting == 1; }));
      both.call->cancel();
      REQUIRE(both.recorder->await());
      CHECK(both.recorder->text().ends_with("for \"" + std::string(keys.first) + '"'));
      REQUIRE(eventually([&] { return instance->figures().waiting == 0; }));
    }
  }
  // So many others that what nobody holds is forgotten.
  for (int i = 0; i < 300; ++i) CHECK(goes_well({"object " + std::to_string(i)}));
  for (const char* key : {"a", "b"}) {
    const Begun behind = begin({"a name", key});
    REQUIRE(eventually([&] { return instance->figures().waiting == 1; }));
    CHECK(module.inside_of(key) == 2);
    module.let_go(key);
    REQUIRE(behind.recorder->await());
    CHECK(behind.recorder->code() == StatusCode::kOk);
  }
  const Begun both = begin({"a name", "a", "b"});
  REQUIRE(both.recorder->await());
  CHECK(both.recorder->code() == StatusCode::kOk);
}

TEST_CASE_METHOD(GateWorld,
                 "A call that leaves its object's share for another makes room for the next") {
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"door", "dead"}; });
  const Begun first = begin({"a name", "dead"});
  const Begun second = begin({"a name", "dead"});
  REQUIRE(eventually([&] { return module.invoked.get() == 2; }));
  const Begun third = begin({"a name", "alive"});
  CHECK(instance->figures().waiting == 1);
  module.let_go("door");
  REQUIRE(third.recorder->await());
  CHECK(third.recorder->code() == StatusCode::kOk);
  CHECK(eventually([&] { return module.inside_of("dead") == 2; }));
}

TEST_CASE_METHOD(GateWorld,
                 "What a module does with a call that it has given back changes nothing") {
  OwnThreads reader;
  if (GENERATE(false, true)) runner = &reader;
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"dead"}; });
  const auto many = begin_many(2, "dead");
  REQUIRE(eventually([&] { return module.inside_of("dead") == 2; }));
  module.is_rude = true;
  const auto behind = begin_many(2, "dead");
  REQUIRE(eventually([&] { return instance->figures().violations == 2; }));
  REQUIRE(eventually([&] { return instance->figures().running == 2; }));
  CHECK(module.entered_late.get() == 0);
  module.is_rude = false;
  for (int i = 0; i < 3; ++i) CHECK(goes_well({"object", "elsewhere"}));
  module.let_go("dead");
  for (const Begun& each : behind) {
    REQUIRE(each.recorder->await());
    CHECK(each.recorder->code() == StatusCode::kOk);
  }
}

TEST_CASE_METHOD(GateWorld, "Calls on the thread that reads them have the same share") {
  OwnThreads reader;
  runner = &reader;
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"dead"}; });
  const auto many = begin_many(6, "dead");
  REQUIRE(eventually(
      [&] { return module.inside_of("dead") == 2 && instance->figures().waiting == 4; }));
  CHECK(goes_well({"object", "alive"}));
  module.let_go("dead");
  for (const Begun& each : many)
    CHECK((each.recorder->await() && each.recorder->code() == StatusCode::kOk));
}

TEST_CASE_METHOD(GateWorld, "A drain waits for calls that wait behind others") {
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"slow"}; });
  const auto many = begin_many(4, "slow");
  REQUIRE(eventually([&] { return instance->figures().waiting == 2; }));
  CHECK_FALSE(instance->drain(router::Clock::now()));
  instance->resume();
  module.let_go("slow");
  CHECK(instance->drain(router::Clock::now() + 30s));
  for (const Begun& each : many)
    CHECK((each.recorder->await() && each.recorder->code() == StatusCode::kOk));
}

TEST_CASE_METHOD(GateWorld, "A stopped instance ends the calls that wait behind others") {
  GateModule& module = start();
  module.hung.change([](auto& all) { all = {"slow"}; });
  const auto many = begin_many(4, "slow");
  REQUIRE(eventually([&] { return instance->figures().waiting == 2; }));
  std::thread lets_go([&] {
    CHECK(many[3].recorder->await());
    module.let_go("slow");
  });
  CHECK(instance->stop(router::Clock::now()));
  lets_go.join();
  instance = nullptr;
  CHECK(many[3].recorder->code() == StatusCode::kUnavailable);
}

}  // namespace
}  // namespace longshore::loader
