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

AgentService::AgentService(loader::ModuleDescription description)
    : HostServiceTarget(std::move(description)),
      streams_(event_of(host::v1::ModuleEvent::TYPE_SYNCED)) {}

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

Result<void> AgentService::begin(router::Call& call) {
  const auto request = router::parsed_request<host::v1::WatchModulesRequest>(call.request());
  return request ? streams_.add(call) : request.error();
}

Result<std::shared_ptr<HostServices>> common_host_services() {
  auto agent = make_host_service<AgentService>(agent_description);
  if (!agent) return std::move(agent).error();
  auto services = std::make_shared<HostServices>();
  services->add(*std::move(agent));
  return services;
}

}  // namespace longshore::services
