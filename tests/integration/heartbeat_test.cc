// A controller and a host service, from end to end: the plugin plugins/heartbeat, in the agent and
// in processes of its own, listens to a service that this test makes up.
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
#include "longshore/heartbeat/v1.pb.h"
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

const std::string kService = "longshore.heartbeat.v1.Heartbeat";

// The service. Of the beats that a listener has no room for it keeps the last.
class Heart final : public router::Target {
 public:
  Result<void> submit(std::shared_ptr<router::Call> call) override {
    call->run();
    return {};
  }
  void execute(router::Call& call) override {
    if (call.method().name == "Report") return take_report(call);
    const std::lock_guard lock(mutex_);
    listeners_[&call].sent = number_;
  }
  void on_writable(router::Call& call) override { send_last(call); }
  void on_cancel(router::Call& call) override { call.finish(StatusCode::kCancelled, "cancelled"); }
  void on_end(router::Call& call) override {
    const std::lock_guard lock(mutex_);
    listeners_.erase(&call);
  }

  void beat() {
    const std::lock_guard lock(mutex_);
    ++number_;
    for (auto& [call, listener] : listeners_) send_last(*call, listener);
  }
  // Ends all streams.
  void stop() {
    std::vector<std::shared_ptr<router::Call>> calls;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [call, listener] : listeners_) {
        calls.push_back(std::static_pointer_cast<router::Call>(call->shared_from_this()));
      }
    }
    for (const auto& call : calls) call->finish(StatusCode::kUnavailable, "it stands still");
  }

  size_t listeners() const {
    const std::lock_guard lock(mutex_);
    return listeners_.size();
  }
  uint64_t last_heard_by(const std::string& listener) const {
    const std::lock_guard lock(mutex_);
    const auto found = reports_.find(listener);
    return found == reports_.end() ? 0 : found->second.last();
  }
  uint64_t heard_by(const std::string& listener) const {
    const std::lock_guard lock(mutex_);
    const auto found = reports_.find(listener);
    return found == reports_.end() ? 0 : found->second.heard();
  }

 private:
  struct Listener {
    uint64_t sent = 0;
    bool is_full = false;
  };

  void take_report(router::Call& call) {
    heartbeat::v1::ReportRequest report;
    report.ParseFromArray(call.request().data(), static_cast<int>(call.request().size()));
    {
      const std::lock_guard lock(mutex_);
      reports_[report.listener()] = report;
    }
    call.send({});
    call.finish(StatusCode::kOk, {});
  }
  void send_last(router::Call& call) {
    const std::lock_guard lock(mutex_);
    const auto found = listeners_.find(&call);
    if (found == listeners_.end()) return;
    found->second.is_full = false;
    send_last(call, found->second);
  }
  void send_last(router::Call& call, Listener& listener) const {
    if (listener.is_full || listener.sent == number_) return;
    heartbeat::v1::Beat beat;
    beat.set_number(number_);
    listener.is_full = call.send(beat.SerializeAsString()) == LONGSHORE_WOULD_BLOCK;
    if (!listener.is_full) listener.sent = number_;
  }

  mutable std::mutex mutex_;
  uint64_t number_ = 0;
  std::map<router::Call*, Listener> listeners_;
  std::map<std::string, heartbeat::v1::ReportRequest> reports_;
};

loader::ModuleDescription description_of_heart() {
  loader::ModuleDescription description;
  description.services = {kService};
  for (const char* name : {"Watch", "Report"}) {
    router::Method method;
    method.service = kService;
    method.name = name;
    method.full_name = kService + "/" + name;
    method.server_streaming = method.long_running = method.name == "Watch";
    description.methods.push_back(method);
  }
  return description;
}

struct World {
  World() {
    core.modules.set_process_code([this](auto inspection, const auto& module, const auto& agent) {
      return supervise::make_child_module(std::move(inspection), module, agent,
                                          supervise::Cgroups::take(), *log);
    });
    core.host_services.add({.description = description_of_heart(),
                            .target = heart,
                            .for_modules = true,
                            .run_condition = [this](const auto&) { return condition; }});
    configuration.agent.state_dir = folder / "state";
  }
  ~World() { core.modules.stop_all(10s); }

  void add(const std::string& name, const std::string& isolation = "in-process") {
    config::ModuleSettings module;
    module.name = name;
    module.library = test::built_module("heartbeat");
    module.is_controller = true;
    module.isolation = isolation;
    module.may_call = {kService};
    module.settings["source"] = std::string("all");
    module.settings["report_interval"] = int64_t{std::chrono::nanoseconds(2ms).count()};
    module.settings["retry_delay_max"] = int64_t{std::chrono::nanoseconds(20ms).count()};
    configuration.modules.push_back(module);
  }
  void apply() {
    const InspectedModules::Scope scope(*core.inspected);
    auto change = core.modules.prepare(configuration, ModuleSet::OnFailure::kGiveUp);
    INFO((change ? "" : change.error().message()));
    REQUIRE(change);
    CHECK_FALSE((*std::move(change)).commit().failed);
  }
  std::string degraded(const std::string& name) const {
    for (const ModuleEntry& entry : core.modules.list()) {
      if (entry.settings.name == name) return entry.instance->figures().degraded;
    }
    return "not there";
  }

  test::TemporaryDirectory folder;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  const std::shared_ptr<Heart> heart = std::make_shared<Heart>();
  std::shared_ptr<services::RunCondition> condition;  // null: there is none
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
  static const std::string kWatch = kService + "/Watch";
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
  constexpr uint64_t kBeats = 10'000;
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g"};
  for (const std::string& name : names) add(name, name < "e" ? "in-process" : "process");
  apply();
  REQUIRE(eventually([&] { return heart->listeners() == names.size(); }));
  const auto stalled = std::make_shared<Stalled>();
  router::CallRequest request = watch_of("module:stalled", true);
  request.observer = stalled;
  const auto call = core.router.call(std::move(request));
  for (uint64_t i = 0; i < kBeats; ++i) heart->beat();
  for (const std::string& name : names) {
    INFO(name);
    CHECK(eventually([&] { return heart->last_heard_by(name) == kBeats; }));
    CHECK(heart->heard_by(name) <= kBeats);
    CHECK(degraded(name) == "");
  }
  CHECK(stalled->messages == 1);
  call->cancel();
}

TEST_CASE_METHOD(World, "A heart that is lost degrades its listeners until it beats again") {
  add("here");
  add("there", "process");
  apply();
  REQUIRE(eventually([&] { return heart->listeners() == 2; }));
  for (int i = 0; i < 3; ++i) {
    heart->stop();
    for (const std::string name : {"here", "there"}) {
      CHECK(eventually([&] { return degraded(name) == "the heart is lost: it stands still"; }));
    }
    REQUIRE(eventually([&] { return heart->listeners() == 2; }));
    heart->beat();
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
    return degraded("here") == "the heart is lost: module:here may not call " + kService +
                                   "/Watch; its may_call in the configuration does not name it";
  }));
  CHECK(heart->listeners() == 0);
}

TEST_CASE_METHOD(World, "A controller that is switched off ends its streams") {
  add("here");
  add("there", "process");
  apply();
  REQUIRE(eventually([&] { return heart->listeners() == 2; }));
  configuration.modules.clear();
  apply();
  CHECK(eventually([&] { return heart->listeners() == 0; }));
}

TEST_CASE_METHOD(World, "A controller's process that does not stop is killed at the fence") {
  condition = std::make_shared<services::RunCondition>("");
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
  CHECK(core.inspected->host_services() ==
        std::vector<std::string>{kService, kService + "/Watch", kService + "/Report"});
}

}  // namespace longshore::core
