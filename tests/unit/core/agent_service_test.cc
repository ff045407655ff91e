// longshore.host.v1.Agent/WatchModules, called as a module calls it.
#include "services/agent_service.h"

#include <catch2/catch.hpp>
#include <set>

#include "core/core.h"
#include "longshore/host/v1.pb.h"
#include "tests/support/eventually.h"
#include "tests/unit/router/test_target.h"

namespace longshore::core {
namespace {

using router::Recorder;
using services::ModuleStates;

const std::string kWatchModules = "longshore.host.v1.Agent/WatchModules";

struct AgentWorld {
  AgentWorld() {
    const InspectedModules::Scope scope(*core.inspected);
    auto change = core.modules.prepare(configuration, ModuleSet::OnFailure::kGiveUp);
    REQUIRE(change);
    CHECK_FALSE((*std::move(change)).commit().failed);  // publishes the routes
  }

  std::shared_ptr<router::Call> watch(const std::shared_ptr<Recorder>& observer,
                                      const std::string& request_bytes = "") {
    router::CallRequest request;
    request.method = kWatchModules;
    request.request = request_bytes;
    request.caller = std::make_shared<router::Caller>(
        router::Caller{"module:one", "module:one",
                       std::make_shared<const std::set<std::string, std::less<>>>(
                           std::set<std::string, std::less<>>{kWatchModules})});
    request.observer = observer;
    return calls.emplace_back(core.router.call(std::move(request)));
  }
  // A module's calls end with it.
  ~AgentWorld() {
    for (const auto& call : calls) call->cancel();
  }
  void tell(const ModuleStates& modules) { core.host_services.modules_changed(modules); }

  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  Core core{{},
            std::make_unique<InspectedModules>(std::vector<std::string>{},
                                               services::common_host_services().value()),
            *log};
  config::Configuration configuration;
  std::vector<std::shared_ptr<router::Call>> calls;
};

// "disk serving", "smb failed: why", "disk gone", "synced".
std::vector<std::string> told(const Recorder& recorder) {
  std::vector<std::string> all;
  for (const std::string& message : recorder.received.get().messages) {
    host::v1::ModuleEvent event;
    REQUIRE(event.ParseFromString(message));
    const host::v1::Module& module = event.module();
    if (event.type() == host::v1::ModuleEvent::TYPE_SYNCED) {
      all.emplace_back("synced");
    } else if (event.type() == host::v1::ModuleEvent::TYPE_REMOVED) {
      all.push_back(module.name() + " gone");
    } else {
      all.push_back(module.name() + " " + module.state() +
                    (module.reason().empty() ? "" : ": " + module.reason()));
    }
  }
  return all;
}

using Told = std::vector<std::string>;

}  // namespace

TEST_CASE_METHOD(AgentWorld, "Who watches modules hears of all, then of what changes") {
  tell({{.name = "disk", .state = "serving"}, {.name = "smb", .state = "failed", .reason = "why"}});
  const auto reader = std::make_shared<Recorder>();
  const auto call = watch(reader);
  CHECK(told(*reader) == Told{"disk serving", "smb failed: why", "synced"});
  tell({{.name = "disk", .state = "serving"}, {.name = "smb", .state = "serving"}});
  tell({{.name = "smb", .state = "serving"}, {.name = "volume", .state = "serving"}});
  CHECK(told(*reader) == Told{"disk serving", "smb failed: why", "synced", "smb serving",
                              "volume serving", "disk gone"});
  const auto later = std::make_shared<Recorder>();
  watch(later);
  CHECK(told(*later) == Told{"smb serving", "volume serving", "synced"});
  call->cancel();
  CHECK(reader->code() == StatusCode::kCancelled);
  tell({});
  CHECK(told(*reader).size() == 6);
  CHECK(told(*later) == Told{"smb serving", "volume serving", "synced", "smb gone", "volume gone"});
}

TEST_CASE_METHOD(AgentWorld,
                 "Who reads slowly hears the latest of each module, and of what is gone") {
  tell({{.name = "a", .state = "serving"}});
  const auto reader = std::make_shared<Recorder>();
  reader->has_room = false;  // after each message
  const auto call = watch(reader);
  CHECK(told(*reader) == Told{"a serving"});
  for (int i = 0; i < 1000; ++i) {
    tell({{.name = "a", .state = std::to_string(i)}, {.name = "b", .state = std::to_string(i)}});
  }
  tell({{.name = "a", .state = "last"}});
  CHECK(told(*reader) == Told{"a serving"});
  reader->has_room = true;
  call->resume();
  CHECK(told(*reader) == Told{"a serving", "a last", "b gone", "synced"});
}

TEST_CASE_METHOD(AgentWorld, "A module that is gone and comes back is not told of as gone") {
  const auto reader = std::make_shared<Recorder>();
  reader->has_room = false;
  const auto call = watch(reader);
  tell({{.name = "a", .state = "serving"}});
  tell({});
  tell({{.name = "a", .state = "failed"}});
  reader->has_room = true;
  call->resume();
  CHECK(told(*reader) == Told{"synced", "a failed"});
}

TEST_CASE_METHOD(AgentWorld, "A request that is none, and one reader too many, are refused") {
  const auto bad = std::make_shared<Recorder>();
  watch(bad, "\xff\xff");
  REQUIRE(bad->await());
  CHECK(bad->code() == StatusCode::kInvalidArgument);
  const auto first = watch(std::make_shared<Recorder>());
  for (size_t i = 1; i < services::StateStreams::kMostReaders; ++i) {
    watch(std::make_shared<Recorder>());
  }
  const auto late = std::make_shared<Recorder>();
  watch(late);
  REQUIRE(late->await());
  CHECK(late->code() == StatusCode::kResourceExhausted);
  first->cancel();
  const auto next = std::make_shared<Recorder>();
  watch(next);
  CHECK(told(*next) == Told{"synced"});
}

TEST_CASE_METHOD(AgentWorld,
                 "Calls of what the agent serves to modules are counted as others are") {
  watch(std::make_shared<Recorder>());
  bool is_counted = false;
  for (const auto& method : core.call_metrics.all()) {
    is_counted = is_counted || method->service() + "/" + method->method() == kWatchModules;
  }
  CHECK(is_counted);
}

}  // namespace longshore::core
