// A controller and a host service, from end to end: the plugin plugins/example, in the agent and in
// processes of its own, listens to the agent's list of modules, as this test tells it.
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/core.h"
#include "services/agent_service.h"
#include "services/host_service_target.h"
#include "supervise/child_factory.h"
#include "supervise/linux/cgroups.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/router/test_target.h"

namespace longshore::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;

const std::string kService = "longshore.host.v1.Agent";

// The agent's own service, whose streams can be ended here.
class ModuleList final : public services::HostServiceTarget {
 public:
  using HostServiceTarget::HostServiceTarget;

  bool for_modules() const override { return true; }
  std::shared_ptr<services::RunCondition> run_condition(const config::ModuleSettings&) override {
    return condition;
  }
  void on_writable(router::Call& call) override { service_.on_writable(call); }
  void on_end(router::Call& call) override {
    service_.on_end(call);
    const std::lock_guard lock(mutex_);
    calls_.erase(&call);
  }

  // The only module is in this state now.
  void tell(const std::string& state) {
    service_.modules_changed({{.name = "echo", .state = state}});
  }
  // Ends all streams, and takes no more until it is back.
  void go_away() {
    is_away = true;
    std::map<router::Call*, std::weak_ptr<router::Call>> calls;
    {
      const std::lock_guard lock(mutex_);
      calls = calls_;
    }
    for (const auto& [key, each] : calls) {
      if (const auto call = each.lock()) call->finish(StatusCode::kUnavailable, "it is away");
    }
  }
  size_t listeners() const {
    const std::lock_guard lock(mutex_);
    return calls_.size();
  }

  std::atomic<bool> is_away{false};
  std::shared_ptr<services::RunCondition> condition;  // null: there is none

 private:
  Result<void> begin(router::Call& call) override {
    if (is_away) return Error::of_text(StatusCode::kUnavailable, "it is away");
    {
      const std::lock_guard lock(mutex_);
      calls_[&call] = std::static_pointer_cast<router::Call>(call.shared_from_this());
    }
    service_.execute(call);
    return {};
  }

  services::AgentService service_{{}};
  mutable std::mutex mutex_;
  std::map<router::Call*, std::weak_ptr<router::Call>> calls_;
};

loader::ModuleDescription description_of_service() {
  loader::ModuleDescription description;
  description.services = {kService};
  router::Method method;
  method.service = kService;
  method.name = "WatchModules";
  method.full_name = kService + "/WatchModules";
  method.server_streaming = method.long_running = true;
  description.methods.push_back(method);
  return description;
}

struct World {
  World() {
    core.modules.set_process_code([this](auto inspection, const auto& module, const auto& agent) {
      return supervise::make_child_module(std::move(inspection), module, agent,
                                          supervise::Cgroups::take(), *log);
    });
    core.host_services.add(list);
    configuration.agent.state_dir = folder / "state";
  }
  ~World() { core.modules.stop_all(10s); }

  void add(const std::string& name, const std::string& isolation = "in-process") {
    config::ModuleSettings module;
    module.name = name;
    module.library = test::built_module("example");
    module.is_controller = true;
    module.isolation = isolation;
    module.may_call = {kService};
    module.settings["reasons"] = true;
    configuration.modules.push_back(module);
  }
  void apply() {
    const InspectedModules::Scope scope(*core.inspected);
    auto change = core.modules.prepare(configuration, ModuleSet::OnFailure::kGiveUp);
    INFO((change ? "" : change.error().message()));
    REQUIRE(change);
    CHECK_FALSE((*std::move(change)).commit().failed);
  }
  bool said(const std::string& name, const std::string& text) const {
    for (const std::string& line : lines.get()) {
      if (line.find(text) != line.npos && line.find("module=" + name) != line.npos) return true;
    }
    return false;
  }
  std::string degraded(const std::string& name) const {
    for (const ModuleEntry& entry : core.modules.list()) {
      if (entry.settings.name == name) return entry.instance->figures().degraded;
    }
    return "not there";
  }

  test::TemporaryDirectory folder;
  router::Watched<std::vector<std::string>> lines;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [this](observe::Level, std::string_view line) {
        lines.change([&](auto& all) { all.emplace_back(line); });
      }}).value();
  const std::shared_ptr<ModuleList> list = std::make_shared<ModuleList>(description_of_service());
  Core core{{}, std::make_unique<InspectedModules>(std::vector<std::string>{}), *log};
  config::Configuration configuration;
};

// Listens, and reads nothing: a module whose code hangs.
class Stalled final : public router::CallObserver {
 public:
  bool on_message(std::string) override {
    ++messages;
    return false;
  }
  void on_response(std::string) override {}
  void on_finish(StatusCode, std::string) override {}
  std::atomic<int> messages{0};
};

router::CallRequest watch_of(const std::string& identity, bool is_module) {
  router::CallRequest request;
  static const std::string kWatch = kService + "/WatchModules";
  request.method = kWatch;
  request.caller = std::make_shared<router::Caller>(
      router::Caller{identity, identity,
                     is_module ? std::make_shared<const std::set<std::string, std::less<>>>(
                                     std::set<std::string, std::less<>>{kService})
                               : nullptr});
  return request;
}

}  // namespace

TEST_CASE_METHOD(World, "A stalled listener costs the others nothing, and no memory") {
  constexpr int kChanges = 10'000;
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g"};
  for (const std::string& name : names) add(name, name < "e" ? "in-process" : "process");
  apply();
  REQUIRE(eventually([&] { return list->listeners() == names.size(); }));
  const auto stalled = std::make_shared<Stalled>();
  router::CallRequest request = watch_of("module:stalled", true);
  request.observer = stalled;
  const auto call = core.router.call(std::move(request));
  for (int i = 0; i < kChanges; ++i) list->tell("state-" + std::to_string(i));
  // They hear on. Of what they log the agent writes so many lines a second.
  int later = 0;
  for (const std::string& name : names) {
    INFO(name);
    CHECK(eventually([&] {
      list->tell("later-" + std::to_string(++later));
      return said(name, "echo is later-");
    }));
    CHECK(degraded(name) == "");
  }
  CHECK(stalled->messages == 1);
  call->cancel();
}

TEST_CASE_METHOD(World, "A service that is away degrades its listeners until it is back") {
  add("here");
  add("there", "process");
  apply();
  REQUIRE(eventually([&] { return list->listeners() == 2; }));
  for (int i = 0; i < 3; ++i) {
    list->go_away();
    for (const std::string name : {"here", "there"}) {
      CHECK(
          eventually([&] { return degraded(name) == "the list of modules is lost: it is away"; }));
    }
    list->is_away = false;
    for (const std::string name : {"here", "there"}) {
      CHECK(eventually([&] { return degraded(name) == ""; }));
    }
  }
}

TEST_CASE_METHOD(World, "A controller that may not call is degraded and says why") {
  add("here");
  configuration.modules.at(0).may_call.clear();
  apply();
  CHECK(eventually([&] {
    return degraded("here") ==
           "the list of modules is lost: module:here may not call " + kService +
               "/WatchModules; its may_call in the configuration does not name it";
  }));
  CHECK(list->listeners() == 0);
}

TEST_CASE_METHOD(World, "A controller that is switched off ends its streams") {
  add("here");
  add("there", "process");
  apply();
  REQUIRE(eventually([&] { return list->listeners() == 2; }));
  configuration.modules.clear();
  apply();
  CHECK(eventually([&] { return list->listeners() == 0; }));
}

TEST_CASE_METHOD(World, "A controller's process that does not stop is killed at the fence") {
  const auto condition = std::make_shared<services::RunCondition>("");
  list->condition = condition;
  condition->meet();
  add("there", "process");
  apply();
  const pid_t process = core.modules.list().at(0).code->process()->id;
  REQUIRE(::kill(process, SIGSTOP) == 0);
  condition->fail("the lease is lost", router::Clock::now() + 100ms);
  CHECK(eventually([&] { return ::kill(process, 0) != 0 && errno == ESRCH; }));
}

TEST_CASE_METHOD(World, "A controller whose process ends too often is tried again, much later") {
  add("there", "process");
  configuration.modules.at(0).process.restart_max = 1;
  apply();
  const auto process = [&] { return core.modules.list().at(0).code->process().value(); };
  using State = loader::ModuleProcess::State;
  for (uint64_t i = 0; i < 2; ++i) {
    REQUIRE(
        eventually([&] { return process().restarts == i && process().state == State::kServing; }));
    REQUIRE(::kill(process().id, SIGKILL) == 0);
  }
  REQUIRE(eventually([&] { return process().id == 0; }));
  CHECK(process().state == State::kRestarting);
}

TEST_CASE_METHOD(World, "A service for modules is none for those who call over a socket") {
  apply();
  const auto recorder = std::make_shared<router::Recorder>();
  router::CallRequest request = watch_of("uid:0", false);
  request.observer = recorder;
  core.router.call(std::move(request));
  REQUIRE(recorder->await());
  CHECK(recorder->code() == StatusCode::kUnimplemented);
  CHECK_FALSE(core.catalog.get()->has(kService));
  CHECK(core.inspected->host_services().for_modules ==
        std::vector<std::string>{kService, kService + "/WatchModules"});
}

}  // namespace longshore::core
