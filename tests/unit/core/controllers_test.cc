// When controllers run: by conditions, after failures, and up to a fence.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "core/core.h"
#include "services/host_service_target.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/router/test_target.h"

namespace longshore::core {
namespace {

using namespace std::chrono_literals;
using loader::LifecycleState;
using router::Clock;
using services::RunCondition;
using test::eventually;

const std::string kWatch = "longshore.test.v1.Lease/Watch";

// What the instances of the controller do, and are to do.
struct Script {
  std::atomic<int> starts = 0;
  std::atomic<int> stops = 0;
  std::atomic<int> fails_to_start = 0;  // so many more times
  std::atomic<bool> ignores_stop = false;
  std::atomic<bool> hangs_in_start = false;  // does not finish it
  std::atomic<bool> may_be_killed = false;
  router::Watched<std::vector<std::pair<const longshore_host*, std::string>>> killed;
  router::Watched<std::vector<const longshore_host*>> hosts;  // of all instances
  std::function<void()> on_start = [] {};
  router::Watched<std::string> handover;
  router::Watched<std::string> watch_end;  // code and text of the call that it makes in `start`
};

class ControllerCode final : public loader::ModuleCode {
 public:
  ControllerCode(std::shared_ptr<const loader::ModuleFacts> facts, Script& script)
      : ModuleCode(std::move(facts)), script_(script) {}

  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    static const longshore_instance table = {
        sizeof(longshore_instance),
        0,
        [](void* of, longshore_call call, longshore_bytes, longshore_bytes handover) {
          static_cast<ControllerCode*>(of)->start(call, handover);
        },
        [](void*, longshore_call, longshore_bytes, longshore_bytes) {},
        nullptr,
        nullptr,
        [](void* of, longshore_call call) { static_cast<ControllerCode*>(of)->stop(call); },
        [](void*) {}};
    host_ = host;
    script_.hosts.change([&](auto& all) { all.push_back(host); });
    *self = this;
    *functions = &table;
    return LONGSHORE_OK;
  }
  bool kill(const longshore_host* host, const std::string& end) override {
    if (!script_.may_be_killed) return false;
    script_.killed.change([&](auto& all) { all.emplace_back(host, end); });
    return true;
  }

 private:
  void start(longshore_call call, longshore_bytes handover) {
    ++script_.starts;
    script_.handover.change([&](std::string& all) {
      all.assign(static_cast<const char*>(handover.data), static_cast<size_t>(handover.size));
    });
    script_.on_start();
    if (script_.hangs_in_start) return;
    longshore_invoke_request request{};
    request.struct_size = sizeof(request);
    request.credit = 1;
    request.timeout_ns = LONGSHORE_NO_DEADLINE;
    request.method = {kWatch.data(), kWatch.size()};
    request.user = &script_;
    request.on_finish = [](void* user, longshore_invocation, longshore_status_code code,
                           longshore_bytes text) {
      static_cast<Script*>(user)->watch_end.change([&](std::string& end) {
        end = std::to_string(code) + ' ' +
              std::string(static_cast<const char*>(text.data), static_cast<size_t>(text.size));
      });
    };
    longshore_invocation invocation = 0;
    host_->invoke(host_, &request, &invocation);
    const bool fails = script_.fails_to_start > 0;
    if (fails) --script_.fails_to_start;
    host_->finish(host_, call, fails ? 9 : 0, {"not yet", 7});
  }
  void stop(longshore_call call) {
    ++script_.stops;
    if (script_.ignores_stop) return;
    host_->send(host_, call, {"state", 5});
    host_->finish(host_, call, 0, {nullptr, 0});
  }

  Script& script_;
  const longshore_host* host_ = nullptr;
};

// A host service that decides when the controller runs. Its stream lasts until it is cancelled.
class Lease final : public services::HostServiceTarget {
 public:
  Lease(loader::ModuleDescription description, std::shared_ptr<RunCondition> condition)
      : HostServiceTarget(std::move(description)), condition_(std::move(condition)) {}
  bool for_modules() const override { return true; }
  std::shared_ptr<RunCondition> run_condition(const config::ModuleSettings& controller) override {
    heard.push_back("asked for " + controller.name + " by " + controller.leader_election.lease);
    return condition_;
  }
  void modules_changed(const services::ModuleStates& modules) override {
    told = modules;
    heard.emplace_back("told of");
    for (const auto& module : modules) {
      heard.back() += ' ' + module.name + (module.has_failed ? " that failed" : "");
    }
  }

  services::ModuleStates told;  // last
  std::vector<std::string> heard;

 private:
  Result<void> begin(router::Call&) override { return {}; }

  const std::shared_ptr<RunCondition> condition_;
};

struct World {
  World() {
    router::Method method;
    method.service = "longshore.test.v1.Lease";
    method.name = "Watch";
    method.full_name = kWatch;
    method.server_streaming = method.long_running = true;
    loader::ModuleDescription description;
    description.services = {method.service};
    description.methods = {method};
    lease = std::make_shared<Lease>(description, condition);
    core.host_services.add(lease);
    core.host_services.add(std::make_shared<Lease>(loader::ModuleDescription(), driver));
    core.modules.set_process_code([this](auto inspection, const auto&, const auto&) {
      return Result<std::shared_ptr<loader::ModuleCode>>(
          std::make_shared<ControllerCode>(inspection.facts, script));
    });
    core.modules.set_controller_actions({.reconcile = [this] { ++reconciles; },
                                         .end_process =
                                             [this](const std::string& why) {
                                               ended.change([&](std::string& all) { all = why; });
                                             }});
    driver->meet();
    configuration.agent.state_dir = folder / "state";
    config::ModuleSettings controller;
    controller.name = "attacher";
    controller.library = test::built_module("example");
    controller.isolation = "process";
    controller.is_controller = true;
    controller.may_call = {"longshore.test.v1.Lease"};
    configuration.modules = {controller};
  }
  ~World() {
    script.ignores_stop = false;
    core.modules.hurry();
    core.modules.stop_all(10s);
  }

  void apply() {
    const InspectedModules::Scope scope(*core.inspected);
    auto change = core.modules.prepare(configuration, ModuleSet::OnFailure::kGoOn);
    INFO((change ? "" : change.error().message()));
    REQUIRE(change);
    CHECK_FALSE((*std::move(change)).commit().failed);
  }
  // As the agent does: when it was asked to.
  void reconcile() {
    REQUIRE(eventually([&] { return reconciles > 0; }));
    reconciles = 0;
    core.modules.reconcile_controllers();
  }
  ModuleEntry entry() const { return core.modules.list().at(0); }

  test::TemporaryDirectory folder;
  Script script;
  const std::shared_ptr<RunCondition> condition =
      std::make_shared<RunCondition>("another node has the lease");
  const std::shared_ptr<RunCondition> driver = std::make_shared<RunCondition>("");
  std::shared_ptr<Lease> lease;
  std::atomic<int> reconciles = 0;
  router::Watched<std::string> ended;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  Core core{{}, std::make_unique<InspectedModules>(std::vector<std::string>{}), *log};
  config::Configuration configuration;
};

// Never ended, as the instances in it that are abandoned. Which of them have begun to start, when
// their time is over, is the machine's affair.
World& world_for_good() {
  static auto& worlds = *new std::vector<std::unique_ptr<World>>;
  return *worlds.emplace_back(std::make_unique<World>());
}

}  // namespace

TEST_CASE_METHOD(World,
                 "A controller waits for its condition, runs while it is met, and waits on") {
  apply();
  CHECK(entry().waits());
  CHECK(entry().waits_for == "another node has the lease");
  CHECK(script.starts == 0);
  for (int i = 1; i <= 2; ++i) {
    condition->meet();
    reconcile();
    CHECK(entry().serves());
    CHECK(script.starts == i);
    CHECK(script.handover.get() == "");  // what it knew before may be wrong by now
    condition->fail("the driver does not answer");
    reconcile();
    CHECK(entry().waits());
    CHECK(entry().waits_for == "the driver does not answer");
    CHECK(script.stops == i);
    CHECK(entry().starts == static_cast<uint64_t>(i));
  }
  const auto since = entry().waits_since;
  CHECK(since != std::chrono::system_clock::time_point());
  condition->fail("the driver has gone");
  reconcile();
  CHECK(entry().waits_for == "the driver has gone");
  CHECK(entry().waits_since == since);  // it still waits
}

#ifndef _WIN32
TEST_CASE_METHOD(World, "Host services know where a controller's role is before it runs") {
  configuration.modules.at(0).library = test::built_module("example-kube");
  apply();
  REQUIRE(lease->told.size() == 1);
  CHECK(lease->told[0].name == "attacher");
  CHECK(lease->told[0].state == "waiting");
  CHECK(lease->told[0].role_file == "rbac.yaml");
}
#endif

TEST_CASE_METHOD(World,
                 "One that waits is reloaded, and one that runs is replaced, as modules are") {
  apply();
  ++configuration.modules.at(0).max_stuck_calls;
  apply();
  CHECK(entry().waits());
  condition->meet();
  ++configuration.modules.at(0).max_stuck_calls;
  apply();
  CHECK(entry().serves());
  ++configuration.modules.at(0).max_stuck_calls;
  apply();
  CHECK(script.starts == 2);
  CHECK(script.handover.get() == "state");
  condition->fail("it went");
  ++configuration.modules.at(0).max_stuck_calls;
  apply();
  CHECK(entry().waits());
  CHECK(script.stops == 2);
  configuration.modules.clear();
  apply();
  CHECK(core.modules.list().empty());
}

TEST_CASE_METHOD(World,
                 "After a change that is given up, services know of what runs, and of no more") {
  configuration.modules.at(0).leader_election.lease = "first";
  apply();
  configuration.modules.at(0).leader_election.lease = "other";
  configuration.modules.push_back(configuration.modules.at(0));
  configuration.modules.back().name = "resizer";
  const InspectedModules::Scope scope(*core.inspected);
  {
    const auto change = core.modules.prepare(configuration, ModuleSet::OnFailure::kGiveUp);
    REQUIRE(change);
    CHECK(std::ranges::count(lease->heard, "asked for attacher by other") > 0);
    CHECK(std::ranges::count(lease->heard, "asked for resizer by other") > 0);
    lease->heard.clear();
  }
  CHECK(lease->heard ==
        std::vector<std::string>{"asked for attacher by first", "told of attacher"});
}

TEST_CASE_METHOD(World, "One that does not start is tried again, later each time") {
  condition->meet();
  script.fails_to_start = 1;
  apply();
  CHECK_FALSE(entry().serves());
  CHECK(entry().lifecycle->state() == LifecycleState::kFailed);
  core.modules.reconcile_controllers();  // too early
  CHECK(script.starts == 1);
  condition->fail("it went");
  core.modules.reconcile_controllers();
  CHECK(entry().waits());  // and is not failed any more
  condition->meet();
  script.fails_to_start = 1;
  core.modules.reconcile_controllers();
  CHECK(entry().failed_starts == 2);
  // The timer asks for it, for the first failure too early.
  CHECK(eventually([&] {
    if (reconciles.exchange(0) > 0) core.modules.reconcile_controllers();
    return entry().serves();
  }));
  CHECK(entry().failed_starts == 0);
  CHECK(entry().starts == 3);
  CHECK(entry().last_failure.find("not yet") != std::string::npos);
  CHECK(ControllerSupervisor::delay_after(1) == 1s);
  CHECK(ControllerSupervisor::delay_after(2) == 2s);
  CHECK(ControllerSupervisor::delay_after(9) == 256s);
  CHECK(ControllerSupervisor::delay_after(10) == 5min);
  CHECK(ControllerSupervisor::delay_after(4'000'000'000) == 5min);
}

TEST_CASE_METHOD(World, "One that failed is tried in its time where its lease is left for that") {
  condition->meet();
  script.fails_to_start = 1;
  apply();
  CHECK(std::ranges::count(lease->heard, "told of attacher that failed") > 0);
  condition->fail({.reason = "left to others", .fence = Clock::now() + 1min, .is_left = true});
  reconcile();
  CHECK(entry().lifecycle->state() == LifecycleState::kFailed);
  CHECK(entry().failed_starts == 1);
  CHECK(eventually([&] {
    if (reconciles.exchange(0) > 0) core.modules.reconcile_controllers();
    return entry().waits();
  }));
  CHECK(entry().waits_for == "left to others");
  CHECK(lease->heard.back() == "told of attacher");
  CHECK(script.starts == 1);
  condition->meet();
  reconcile();
  CHECK(entry().serves());
}

TEST_CASE_METHOD(World, "A fence ends what the controller calls at once, before it is stopped") {
  condition->meet();
  apply();
  const auto running = entry().instance;
  condition->fail("the lease is lost", Clock::now() + 1min);
  CHECK(script.watch_end.wait([](const auto& end) { return end == "14 the lease is lost"; }));
  CHECK_FALSE(running->has_ended());
  CHECK(script.stops == 0);
  reconcile();
  CHECK(running->has_ended());
  CHECK(ended.get() == "");
}

TEST_CASE_METHOD(World,
                 "One whose condition failed is replaced, though it might run again by now") {
  const bool has_fence = GENERATE(true, false);
  condition->meet();
  apply();
  if (has_fence) {
    condition->fail("the lease is lost", Clock::now() + 1min);
  } else {
    condition->fail("the driver is lost");
  }
  condition->meet();
  reconcile();
  CHECK(entry().serves());
  CHECK(script.stops == 1);
  CHECK(script.starts == 2);
}

TEST_CASE_METHOD(World, "A condition that goes while the controller starts is heeded") {
  condition->meet();
  script.on_start = [&] { condition->fail("the lease is lost", Clock::now() + 1min); };
  apply();
  CHECK(script.watch_end.wait([](const auto& end) { return end == "14 the lease is lost"; }));
  CHECK(entry().waits());
  CHECK(script.stops == 1);
}

TEST_CASE_METHOD(World, "Of several conditions that fail, the one with the first fence counts") {
  condition->meet();
  apply();
  const bool driver_first = GENERATE(true, false);
  if (driver_first) driver->fail("the driver does not answer");
  condition->fail("the lease is lost", Clock::now() + 1min);
  if (!driver_first) driver->fail("the driver does not answer");
  CHECK(script.watch_end.wait([](const auto& end) { return end == "14 the lease is lost"; }));
  reconcile();
  CHECK(entry().waits_for == "the lease is lost");
}

TEST_CASE("A kill at the fence is that of the instance which was fenced") {
  World& world = world_for_good();
  world.script.ignores_stop = true;
  world.script.may_be_killed = true;
  world.condition->meet();
  world.apply();
  world.condition->fail("the lease is lost", Clock::now() + 5s);
  world.reconcile();  // which abandons it
  world.condition->meet();
  world.reconcile();
  CHECK(world.entry().serves());
  REQUIRE(world.script.killed.wait([](const auto& killed) { return killed.size() == 1; }));
  const auto hosts = world.script.hosts.get();
  REQUIRE(hosts.size() == 2);
  CHECK(world.script.killed.get().at(0).first == hosts.at(0));
}

TEST_CASE("One that was killed at its fence is started again when it may run") {
  World& world = world_for_good();
  world.script.ignores_stop = true;
  world.script.may_be_killed = true;
  world.condition->meet();
  world.apply();
  world.condition->fail("the lease is lost", Clock::now() + 100ms);
  REQUIRE(world.script.killed.wait([](const auto& killed) { return killed.size() == 1; }));
  world.condition->meet();
  world.reconcile();  // the first time that the control thread comes to it
  CHECK(world.entry().serves());
  CHECK(world.script.starts == 2);
}

TEST_CASE("One whose start hangs is not tried for ever, and holds up no end of the agent") {
  World& world = world_for_good();
  world.condition->meet();
  world.script.hangs_in_start = true;
  world.configuration.modules.at(0).start_timeout = 50ms;
  world.apply();
  REQUIRE(eventually([&] {
    if (world.reconciles.exchange(0) > 0) world.core.modules.reconcile_controllers();
    return world.entry().failure.ends_with("restart the agent");
  }));
  CHECK(world.script.starts <= 3);
  world.apply();
  CHECK(world.entry().failure.ends_with("restart the agent"));
  CHECK(world.script.starts <= 3);
}

TEST_CASE("A start that runs is given up when the agent ends") {
  World& world = world_for_good();
  world.script.hangs_in_start = true;
  world.apply();
  world.condition->meet();
  std::thread control([&] { world.reconcile(); });
  REQUIRE(eventually([&] { return world.script.starts == 1; }));
  const auto begun = Clock::now();
  world.core.modules.hurry();
  control.join();
  CHECK(Clock::now() - begun < 20s);  // and not start_timeout
  CHECK(world.entry().failure.find("the agent is ending") != std::string::npos);
}

TEST_CASE("What does not stop by the fence is killed, or takes the process with it") {
  const bool may_be_killed = GENERATE(true, false);
  CAPTURE(may_be_killed);
  World& world = world_for_good();
  world.script.ignores_stop = true;
  world.script.may_be_killed = may_be_killed;
  world.condition->meet();
  world.apply();
  world.condition->fail("the lease is lost", Clock::now() + 100ms);
  // Nobody reconciles: the control thread is at a reload.
  if (may_be_killed) {
    CHECK(world.script.killed.wait([](const auto& killed) { return killed.size() == 1; }));
    CHECK(world.script.killed.get().at(0).second == "was killed in time: the lease is lost");
    CHECK(world.ended.get() == "");
  } else {
    CHECK(world.ended.wait([](const auto& why) {
      return why == "the controller attacher did not stop in time: the lease is lost";
    }));
  }
}

}  // namespace longshore::core
