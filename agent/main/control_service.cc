#include "main/control_service.h"

#include <utility>

#include "config/show.h"
#include "config/user_names.h"
#include "longshore/control/v1.pb.h"
#include "main/agent.h"
#include "main/version.h"
#include "module_description.h"

namespace longshore {

namespace messages = longshore::control::v1;

// A friend of the agent, so that nothing else needs access to its parts.
class ControlService {
 public:
  explicit ControlService(Agent& agent) : agent_(agent) {}

  Result<messages::GetStatusResponse> status(const messages::GetStatusRequest&) const {
    messages::GetStatusResponse response;
    response.set_version(kVersion);
    response.set_process_id(config::own_process_id());
    const auto uptime = router::Clock::now() - agent_.started_at_;
    response.set_uptime_ms(std::chrono::duration_cast<std::chrono::milliseconds>(uptime).count());
    response.set_state(agent_.state_ == Agent::State::kServing ? "serving" : "draining");
    for (const std::string& file : agent_.configuration().files) response.add_config_files(file);
    std::vector<EndpointSet::Figures> endpoints;
    agent_.on_io_thread([&] { endpoints = agent_.endpoints_.list(); });
    for (const auto& each : endpoints) {
      auto* endpoint = response.add_endpoints();
      endpoint->set_name(each.name);
      endpoint->set_address("unix://" + each.path);
      for (const std::string& service : each.services) endpoint->add_services(service);
      endpoint->set_connections(static_cast<int64_t>(each.connections));
    }
    for (const auto& entry : agent_.core_.modules.list()) {
      if (!entry.instance) continue;
      const auto figures = entry.instance->figures();
      response.set_calls_running(response.calls_running() + static_cast<int64_t>(figures.running));
      response.set_calls_total(response.calls_total() + static_cast<int64_t>(figures.total));
      response.set_calls_failed(response.calls_failed() + static_cast<int64_t>(figures.failed));
    }
    return response;
  }

  Result<messages::ListModulesResponse> modules(const messages::ListModulesRequest&) const {
    messages::ListModulesResponse response;
    for (const auto& entry : agent_.core_.modules.list()) {
      auto* module = response.add_modules();
      module->set_name(entry.settings.name);
      module->set_library(entry.facts->name);
      module->set_version(entry.facts->version);
      module->set_vendor(entry.facts->vendor);
      module->set_summary(entry.facts->description.summary);
      module->set_file(entry.facts->path);
      module->set_sha256(entry.facts->sha256);
      module->set_state("failed");
      module->set_reason(entry.failure);
      if (entry.instance) describe(*entry.instance, *module);
    }
    return response;
  }

  Result<messages::ListServicesResponse> services(const messages::ListServicesRequest&) const {
    messages::ListServicesResponse response;
    for (const auto& entry : agent_.core_.modules.list()) {
      for (const std::string& name : entry.facts->description.services) {
        auto* service = response.add_services();
        service->set_name(name);
        service->set_module(entry.settings.name);
        add_methods(name, *service);
      }
    }
    auto* own = response.add_services();
    own->set_name("longshore.control.v1.Control");
    own->set_module("agent");
    add_methods(own->name(), *own);
    return response;
  }

  Result<messages::GetConfigResponse> configuration(const messages::GetConfigRequest&) const {
    messages::GetConfigResponse response;
    response.set_toml(config::show(agent_.loaded(), false));
    return response;
  }

  Result<messages::ReloadResponse> reload(const messages::ReloadRequest&) const {
    Result<std::vector<std::string>> sentences = agent_.reload();
    if (!sentences) return std::move(sentences).error();
    messages::ReloadResponse response;
    for (std::string& sentence : *sentences) response.add_changes(std::move(sentence));
    return response;
  }

 private:
  static void describe(const loader::Instance& instance, messages::Module& module) {
    const auto figures = instance.figures();
    module.set_state(loader::name_of(figures.state));
    if (!figures.reason.empty()) module.set_reason(figures.reason);
    module.set_calls_running(static_cast<int64_t>(figures.running));
    module.set_calls_total(static_cast<int64_t>(figures.total));
    module.set_calls_failed(static_cast<int64_t>(figures.failed));
    module.set_calls_stuck(static_cast<int64_t>(figures.stuck));
    module.set_uptime_ms(figures.uptime.count());
  }

  void add_methods(const std::string& service_name, messages::Service& service) const {
    const auto routes = agent_.core_.router.routes();
    std::map<std::string, const router::Method*> methods;  // in a steady order
    for (const auto& [name, route] : *routes) {
      if (route.method->service == service_name) methods[name] = route.method.get();
    }
    for (const auto& [name, described] : methods) {
      auto* method = service.add_methods();
      method->set_name(described->name);
      method->set_reads_only(described->reads_only);
      method->set_idempotent(described->idempotent);
      method->set_server_streaming(described->server_streaming);
      method->set_denied(described->denied);
    }
  }

  Agent& agent_;
};

std::shared_ptr<BuiltinTarget> make_control_target(Agent& agent, router::Router& router) {
  const auto service = std::make_shared<ControlService>(agent);
  const auto handler = [&](auto method) { return typed_handler_of(service, method); };
  const std::string prefix = "longshore.control.v1.Control/";
  return std::make_shared<BuiltinTarget>(
      router, "control",
      std::map<std::string, BuiltinTarget::Handler>{
          {prefix + "GetStatus", handler(&ControlService::status)},
          {prefix + "ListModules", handler(&ControlService::modules)},
          {prefix + "ListServices", handler(&ControlService::services)},
          {prefix + "GetConfig", handler(&ControlService::configuration)},
          {prefix + "Reload", handler(&ControlService::reload)}});
}

Result<loader::ModuleDescription> control_service_description() {
  return loader::parse_description(
      std::string(reinterpret_cast<const char*>(longshore_module_description),
                  longshore_module_description_size));
}

}  // namespace longshore
