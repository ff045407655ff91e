// What a module does on its own, outside of any call: timers, calls and streams; and what it says
// of its calls and of itself. A module of the SDK's wrapper in an instance of the agent's.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "loader/instance.h"
#include "longshore/client.hpp"
#include "longshore/module.hpp"
#include "longshore/timer.hpp"
#include "longshore/work_queue.hpp"
#include "tests/unit/router/waiting.h"

namespace longshore::loader {
namespace {

using namespace std::chrono_literals;
using module::v1::Strings;
using router::Watched;

const std::string kOther = "other.v1.Other";

// A module whose parts the test uses as its author would.
class Subject final : public Module {
 public:
  Result<void> start(const Settings&, std::string_view) override {
    if (on_start) on_start(*this);
    return {};
  }
  using Module::host;
  using Module::set_degraded;

  static inline std::function<void(Subject&)> on_start;
  static inline Subject* last = nullptr;  // made
  Subject() { last = this; }
};

class SubjectCode final : public ModuleCode {
 public:
  SubjectCode() : ModuleCode(std::make_shared<ModuleFacts>()) {}
  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    return longshore::detail::Trampolines<Subject>::create(host, self, functions);
  }
};

// What the module calls: keeps its calls until the test answers.
class Other final : public router::Target {
 public:
  Result<void> submit(std::shared_ptr<router::Call> call) override {
    call->run();
    calls.change([&](auto& all) { all.push_back(std::move(call)); });
    return {};
  }
  void execute(router::Call&) override {}
  void on_cancel(router::Call& call) override {
    call.finish(StatusCode::kCancelled, "as it was told");
  }
  void on_writable(router::Call&) override {
    writable.change([](int& count) { ++count; });
  }

  std::shared_ptr<router::Call> call() {
    REQUIRE(calls.wait([](const auto& all) { return !all.empty(); }));
    return calls.get().back();
  }

  Watched<std::vector<std::shared_ptr<router::Call>>> calls;
  Watched<int> writable;
};

std::string strings(const std::string& value) {
  Strings message;
  message.add_values(value);
  return message.SerializeAsString();
}

struct World {
  World() {
    auto unary = method("Do");
    auto watch = method("Watch");
    watch->server_streaming = watch->long_running = true;
    router.set_routes(std::make_shared<router::RouteTable>(
        router::RouteTable{.by_method = {{unary->full_name, router::Route{unary, other}},
                                         {watch->full_name, router::Route{watch, other}}}}));
  }
  ~World() {
    Subject::on_start = nullptr;
    if (instance) CHECK(instance->stop(router::Clock::now() + 10s));
    other->calls.change([](auto& all) { all.clear(); });  // which hold it
  }

  static std::shared_ptr<router::Method> method(const std::string& name) {
    auto method = std::make_shared<router::Method>();
    method->service = kOther;
    method->name = name;
    method->full_name = kOther + "/" + name;
    return method;
  }

  Subject& start() {
    InstanceOptions options;
    options.name = "subject";
    options.max_stuck_calls = 1;
    options.may_call = std::make_shared<const std::set<std::string, std::less<>>>(
        std::set<std::string, std::less<>>{kOther});
    instance = Instance::create(code, options, router, *log).value();
    REQUIRE(instance->start({}, {}));
    return *Subject::last;
  }

  // As an image it outlives its instances: what is left of them may use its host table.
  const std::shared_ptr<SubjectCode> code = std::make_shared<SubjectCode>();
  const std::shared_ptr<Other> other = std::make_shared<Other>();
  Watched<std::vector<std::string>> lines;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [this](observe::Level, std::string_view line) {
        lines.change([&](auto& all) { all.emplace_back(line); });
      }}).value();
  router::Timers timers;
  router::Router router{timers, {}};
  std::shared_ptr<Instance> instance;
};

// ---- Timers ----

TEST_CASE_METHOD(World, "A timer runs its function once, on a thread of the pool") {
  Subject& module = start();
  Watched<int> ran;
  Timer timer(module.host());
  REQUIRE(timer.start(1ms, [&] { ran.change([](int& count) { ++count; }); }));
  CHECK(ran.wait([](int count) { return count == 1; }));
  REQUIRE(timer.start(0ms, [&] { ran.change([](int& count) { ++count; }); }));
  CHECK(ran.wait([](int count) { return count == 2; }));
}

TEST_CASE_METHOD(World, "A timer that is cancelled or set anew does not run its old function") {
  Subject& module = start();
  Watched<std::string> ran;
  const auto says = [&](const char* what) {
    return [&ran, what] { ran.change([&](std::string& all) { all += what; }); };
  };
  Timer timer(module.host());
  REQUIRE(timer.start(1h, says("old")));
  timer.cancel();
  REQUIRE(timer.start(1h, says("older")));
  REQUIRE(timer.start(1ms, says("new")));
  CHECK(ran.wait([](const std::string& all) { return !all.empty(); }));
  CHECK(ran.get() == "new");
}

TEST_CASE_METHOD(World, "A timer may start itself again, and is cancelled from within") {
  Subject& module = start();
  Watched<int> ran;
  Timer timer(module.host());
  std::function<void()> tick = [&] {
    if (ran.get() < 5) REQUIRE(timer.start(0ms, tick));
    timer.cancel();
    if (ran.get() < 5) REQUIRE(timer.start(0ms, tick));
    ran.change([](int& count) { ++count; });
  };
  REQUIRE(timer.start(0ms, tick));
  CHECK(ran.wait([](int count) { return count == 6; }));
}

TEST_CASE_METHOD(World, "A function that starts its timer again does not run twice at once") {
  Subject& module = start();
  Watched<std::string> steps;
  const auto add = [&](char step) { steps.change([&](std::string& all) { all += step; }); };
  Timer timer(module.host());
  REQUIRE(timer.start(0ms, [&] {
    add('(');
    REQUIRE(timer.start(0ms, [&] { add('!'); }));
    CHECK_FALSE(steps.wait([](const std::string& all) { return all != "("; }, 100ms));
    add(')');
  }));
  CHECK(steps.wait([](const std::string& all) { return all == "()!"; }));
  // Nor does it after a cancellation from within.
  REQUIRE(timer.start(0ms, [&] {
    REQUIRE(timer.start(0ms, [&] { add('?'); }));
    steps.wait([](const std::string& all) { return all != "()!"; }, 100ms);
    timer.cancel();
    add('.');
  }));
  CHECK(steps.wait([](const std::string& all) { return all == "()!."; }));
  timer.cancel();
  CHECK(steps.get() == "()!.");
}

TEST_CASE_METHOD(World, "The end of an instance ends its timers, and there are no new ones") {
  Subject& module = start();
  bool ran = false;
  Timer timer(module.host());
  REQUIRE(timer.start(1h, [&] { ran = true; }));
  const longshore_host* const host = module.host();
  CHECK(instance->stop(router::Clock::now() + 10s));
  instance = nullptr;
  CHECK_FALSE(ran);
  longshore_timer handle = 0;
  CHECK(host->set_timer(
            host, 0, [](void*, longshore_result) {}, nullptr, &handle) == LONGSHORE_REFUSED);
  CHECK(host->cancel_timer(host, 1) == LONGSHORE_STALE);
}

// ---- Work queues ----

TEST_CASE_METHOD(World, "A work queue has as many threads of the pool as it has workers to do") {
  Subject& module = start();
  Watched<std::vector<std::string>> begun;
  Watched<bool> is_open;
  WorkQueue queue(module.host(), "subjects",
                  [&](const std::string& key) {
                    begun.change([&](auto& keys) { keys.push_back(key); });
                    is_open.wait([](bool value) { return value; });
                    return Result<void>();
                  },
                  {.workers = 2});
  for (const char* key : {"a", "b", "c"}) queue.add(key);
  CHECK(begun.wait([](const auto& keys) { return keys.size() == 2; }));
  CHECK_FALSE(begun.wait([](const auto& keys) { return keys.size() > 2; }, 50ms));
  is_open.change([](bool& value) { value = true; });
  CHECK(begun.wait([](const auto& keys) { return keys.size() == 3; }));
  queue.stop();
  CHECK(begun.get().back() == "c");
}

TEST_CASE_METHOD(World, "A work queue tries again what failed, until its instance ends") {
  Subject& module = start();
  Watched<int> tries;
  WorkQueue queue(module.host(), "subjects",
                  [&](const std::string&) -> Result<void> {
                    tries.change([](int& count) { ++count; });
                    return Error(StatusCode::kUnavailable, "reach the subject");
                  },
                  {.first_delay = 1ms, .most_delay = 2ms});
  queue.add("a");
  queue.add_after("b", 1h);
  CHECK(tries.wait([](int count) { return count >= 5; }));
  if (GENERATE(false, true)) queue.stop();
  CHECK(instance->stop(router::Clock::now() + 10s));
  instance = nullptr;
  const int last = tries.get();
  queue.add("c");
  CHECK_FALSE(tries.wait([&](int count) { return count > last; }, 20ms));
}

// ---- Calls of its own ----

TEST_CASE_METHOD(World, "A module calls without a call of its own, from its start on") {
  Watched<std::string> got;
  Subject::on_start = [&](Subject& module) {
    Strings request;
    request.add_values("ask");
    Client(module.host()).call<Strings>(kOther + "/Do", request, {}, [&](Result<Strings> response) {
      got.change([&](auto& text) { text = response ? response->values(0) : "error"; });
    });
  };
  start();
  const auto call = other->call();
  CHECK(call->request() == strings("ask"));
  CHECK(call->caller().identity == "module:subject");
  CHECK(call->caller().module == "subject");
  CHECK(call->send(strings("answer")) == LONGSHORE_OK);
  CHECK(call->finish(StatusCode::kOk, {}));
  CHECK(got.wait([](const std::string& text) { return text == "answer"; }));
}

TEST_CASE_METHOD(World, "A call that fails, and one that is not allowed, end with an error") {
  Subject& module = start();
  Watched<std::vector<StatusCode>> codes;
  const auto done = [&](Result<Strings> response) {
    codes.change([&](auto& all) { all.push_back(response.error().code()); });
  };
  const Client client(module.host());
  client.call<Strings>("elsewhere.v1.Elsewhere/Do", Strings(), {}, done);
  CHECK(codes.wait([](const auto& all) { return all.size() == 1; }));
  client.call<Strings>(kOther + "/Do", Strings(), {}, done);
  other->call()->finish(StatusCode::kNotFound, "no such thing");
  CHECK(codes.wait([](const auto& all) { return all.size() == 2; }));
  CHECK(codes.get() == std::vector{StatusCode::kUnimplemented, StatusCode::kNotFound});
}

TEST_CASE_METHOD(World, "Only a method that is long_running has no deadline") {
  Subject& module = start();
  const ClientOptions for_ever{.timeout = std::chrono::nanoseconds::max()};
  const Client client(module.host());
  client.call<Strings>(kOther + "/Do", Strings(), for_ever, [](const Result<Strings>&) {});
  CHECK(other->call()->deadline() < router::Clock::now() + 1min);
  other->call()->finish(StatusCode::kCancelled, {});
  const auto watch = client.stream<Strings>(
      kOther + "/Watch", Strings(), for_ever, [](const Strings&) {}, [](const Result<void>&) {});
  CHECK(other->call()->deadline() == router::Clock::time_point::max());
}

TEST_CASE_METHOD(World, "A stream is read as far as there is credit, without a thread") {
  Subject& module = start();
  Watched<std::string> got;
  Watched<bool> go_on;
  auto stream = Client(module.host())
                    .stream<Strings>(
                        kOther + "/Watch", Strings(), {.credit = 1},
                        [&](const Strings& message) {
                          got.change([&](auto& all) { all += message.values(0); });
                          go_on.wait([](bool value) { return value; });
                        },
                        [&](const Result<void>& end) {
                          got.change([&](auto& all) { all += end ? "." : "!"; });
                        });
  const auto call = other->call();
  CHECK(call->send(strings("a")) == LONGSHORE_OK);
  CHECK(call->send(strings("b")) == LONGSHORE_WOULD_BLOCK);
  CHECK(got.wait([](const std::string& all) { return all == "a"; }));
  go_on.change([](bool& value) { value = true; });
  REQUIRE(other->writable.wait([](int count) { return count == 1; }));
  CHECK(call->send(strings("b")) == LONGSHORE_OK);
  CHECK(call->finish(StatusCode::kOk, {}));
  CHECK(got.wait([](const std::string& all) { return all == "ab."; }));
}

TEST_CASE_METHOD(World, "A stream that nobody wants any more is cancelled, and says nothing more") {
  Subject& module = start();
  Watched<std::string> got;
  {
    const auto stream =
        Client(module.host())
            .stream<Strings>(
                kOther + "/Watch", Strings(), {},
                [&](const Strings& message) {
                  got.change([&](auto& all) { all += message.values(0); });
                },
                [&](const Result<void>&) { got.change([](auto& all) { all += "the end"; }); });
    CHECK(other->call()->send(strings("a")) == LONGSHORE_OK);
    CHECK(got.wait([](const std::string& all) { return all == "a"; }));
  }
  CHECK(other->call()->state() == LONGSHORE_STALE);
  CHECK(instance->stop(router::Clock::now() + 10s));
  instance = nullptr;
  CHECK(got.get() == "a");
}

TEST_CASE_METHOD(World, "The end of an instance ends its streams with an error") {
  Subject& module = start();
  Watched<StatusCode> end;
  const auto stream = Client(module.host())
                          .stream<Strings>(
                              kOther + "/Watch", Strings(), {}, [](const Strings&) {},
                              [&](const Result<void>& outcome) {
                                end.change([&](auto& value) { value = outcome.error().code(); });
                              });
  other->call();
  CHECK(instance->stop(router::Clock::now() + 10s));
  instance = nullptr;
  CHECK(end.get() == StatusCode::kCancelled);
}

// ---- What it says of itself ----

TEST_CASE_METHOD(World, "A module says that it is degraded, and that it is well again") {
  Subject& module = start();
  CHECK(instance->figures().degraded == "");
  module.set_degraded("the array does not answer");
  CHECK(instance->figures().degraded == "the array does not answer");
  CHECK(instance->lifecycle().state() == LifecycleState::kServing);
  module.set_degraded({});
  CHECK(instance->figures().degraded == "");
}

TEST_CASE_METHOD(World, "A module that says so all the time does not fill the log") {
  Subject& module = start();
  for (int i = 0; i < 1000; ++i) module.set_degraded(i % 2 == 0 ? "the array" : "");
  const auto written = lines.get();
  CHECK(std::ranges::count_if(written, [](const std::string& line) {
          return line.find("the module is") != line.npos;
        }) == observe::RateLimitedLog::kFew.lines);
}

}  // namespace
}  // namespace longshore::loader
