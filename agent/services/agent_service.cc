#include "services/agent_service.h"

#include <utility>

#include "agent_description.h"
#include "longshore/host/v1.pb.h"
#include "router/call.h"
#include "router/parsed_request.h"

namespace longshore::services {
namespace {

std::string event_of(host::v1::ModuleEvent::Type type, const ModuleState* module = nullptr) {
  host::v1::ModuleEvent event;
  event.set_type(type);
  if (module != nullptr) {
    event.mutable_module()->set_name(module->name);
    if (type == host::v1::ModuleEvent::TYPE_UPDATED) {
      event.mutable_module()->set_is_controller(module->is_controller);
      event.mutable_module()->set_state(module->state);
      event.mutable_module()->set_reason(module->reason);
    }
  }
  return event.SerializeAsString();
}

}  // namespace

AgentService::AgentService() : streams_(event_of(host::v1::ModuleEvent::TYPE_SYNCED)) {}

void AgentService::modules_changed(const ModuleStates& modules) {
  std::map<std::string, ModuleState> gone = std::exchange(told_, {});
  for (const ModuleState& module : modules) {
    const auto before = gone.extract(module.name);
    if (before.empty() || before.mapped() != module) {
      streams_.set(module.name, event_of(host::v1::ModuleEvent::TYPE_UPDATED, &module));
    }
    told_.emplace(module.name, module);
  }
  for (const auto& [name, module] : gone) {
    streams_.set(name, event_of(host::v1::ModuleEvent::TYPE_REMOVED, &module), true);
  }
}

Result<void> AgentService::submit(std::shared_ptr<router::Call> call) {
  call->run();
  return {};
}

void AgentService::execute(router::Call& call) {
  const auto request = router::parsed_request<host::v1::WatchModulesRequest>(call.request());
  const Result<void> added = request ? streams_.add(call) : request.error();
  if (!added) call.finish(added.error().code(), added.error().message());
}

void AgentService::on_cancel(router::Call& call) {
  call.finish(StatusCode::kCancelled, "nobody listens any more");
}

Result<std::shared_ptr<HostServices>> common_host_services() {
  auto description = loader::parse_host_service_description(agent_description);
  if (!description) return std::move(description).error();
  auto service = std::make_shared<AgentService>();
  auto services = std::make_shared<HostServices>();
  services->add({.description = *std::move(description),
                 .target = service,
                 .for_modules = true,
                 .modules_changed = [service](const ModuleStates& modules) {
                   service->modules_changed(modules);
                 }});
  return services;
}

}  // namespace longshore::services
