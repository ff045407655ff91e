#include "main/admin_service.h"

#include <set>
#include <utility>

#include "admin_description.h"
#include "config/show.h"
#include "longshore/admin/v1.pb.h"
#include "main/agent.h"
#include "main/controller_handlers.h"
#include "main/diagnostics.h"
#include "main/module_message.h"
#include "main/status_report.h"

namespace longshore {

namespace messages = longshore::admin::v1;

// A friend of the agent, so that nothing else needs access to its parts.
class AdminHandlers {
 public:
  explicit AdminHandlers(Agent& agent) : agent_(agent) {}

  static DiagnosticsParts diagnostics_parts(Agent& agent) {
    return {agent.core_, *agent.log_, [&agent] { return agent.configuration()->agent.log.level; }};
  }

  static core::Core& core_of(Agent& agent) { return agent.core_; }

  static void set_memory(const observe::MemoryReport& report, messages::ClientMemory& memory) {
    memory.set_used_bytes(static_cast<int64_t>(report.used));
    memory.set_limit_bytes(static_cast<int64_t>(report.limit));
    memory.set_refusals(static_cast<int64_t>(report.refusals));
  }

  static void set_audit(const observe::AuditFigures& figures, messages::AuditLog& audit) {
    audit.set_file(figures.file);
    audit.set_required(figures.required);
    audit.set_reason(figures.trouble);
    audit.set_lines(static_cast<int64_t>(figures.written));
    audit.set_lines_waiting(static_cast<int64_t>(figures.waiting));
    audit.set_lines_lost(static_cast<int64_t>(figures.lost));
    audit.set_calls_refused(static_cast<int64_t>(figures.refused_calls));
  }

  Result<messages::GetStatusResponse> status(const messages::GetStatusRequest&) const {
    const observe::StatusReport report = agent_.status();
    messages::GetStatusResponse response;
    response.set_version(report.version);
    response.set_process_id(report.process_id);
    response.set_uptime_ms(report.uptime.count());
    response.set_state(report.state);
    set_memory(report.memory, *response.mutable_memory());
    if (report.audit.is_on) set_audit(report.audit, *response.mutable_audit());
    for (const std::string& file : report.config_files) response.add_config_files(file);
    for (const observe::EndpointReport& each : report.endpoints) {
      auto* endpoint = response.add_endpoints();
      endpoint->set_name(each.name);
      endpoint->set_address(each.address);
      for (const std::string& service : each.services) endpoint->add_services(service);
      endpoint->set_connections(static_cast<int64_t>(each.connections));
      set_memory(each.memory, *endpoint->mutable_memory());
      endpoint->set_reason(each.reason);
    }
    for (const observe::ModuleReport& module : report.modules) {
      const auto plus = [](int64_t sum, uint64_t more) { return sum + static_cast<int64_t>(more); };
      response.set_calls_running(plus(response.calls_running(), module.calls_running));
      response.set_calls_total(plus(response.calls_total(), module.calls_total));
      response.set_calls_failed(plus(response.calls_failed(), module.calls_failed));
      response.set_modules(plus(response.modules(), 1));
      if (!module.is_ready()) response.add_modules_not_serving(module.name);
      if (module.degraded) response.add_modules_degraded(module.name);
    }
    return response;
  }

  Result<messages::ListModulesResponse> modules(const messages::ListModulesRequest&) const {
    messages::ListModulesResponse response;
    for (const observe::ModuleReport& report : module_reports(agent_.core_.modules)) {
      *response.add_modules() = module_message(report);
    }
    return response;
  }

  Result<messages::UpgradeResponse> upgrade(const messages::UpgradeRequest& request) const {
    auto upgraded = agent_.upgrade(request.module(), request.file());
    if (!upgraded) return std::move(upgraded).error();
    messages::UpgradeResponse response;
    response.set_changed(upgraded->before.instance != upgraded->now.instance);
    response.set_version_before(upgraded->before.facts->version);
    response.set_version(upgraded->now.facts->version);
    response.set_file(upgraded->now.facts->path);
    response.set_sha256(upgraded->now.facts->sha256);
    response.set_until_reload(!request.file().empty());
    response.set_images_left(static_cast<int64_t>(upgraded->images_left));
    return response;
  }

  Result<messages::ListServicesResponse> services(const messages::ListServicesRequest&) const {
    messages::ListServicesResponse response;
    const auto add = [&](const std::string& name, const std::string& module) {
      auto* service = response.add_services();
      service->set_name(name);
      service->set_module(module);
      add_methods(name, *service);
    };
    for (const auto& entry : agent_.core_.modules.list()) {
      for (const std::string& name : entry.facts->description.services) {
        add(name, entry.settings.name);
      }
    }
    for (const std::string& name : agent_.core_.host_services.services_for_endpoints()) {
      add(name, "agent");
    }
    return response;
  }

  Result<messages::GetConfigResponse> configuration(const messages::GetConfigRequest&) const {
    messages::GetConfigResponse response;
    response.set_toml(config::show(*agent_.configuration_.get(), false));
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
  void add_methods(const std::string& service_name, messages::Service& service) const {
    const auto routes = agent_.core_.router.routes();
    std::map<std::string, const router::Method*> methods;  // in a steady order
    for (const auto& [name, route] : routes->by_method) {
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

Result<std::shared_ptr<AdminService>> AdminService::make() {
  return services::make_host_service<AdminService>(admin_description);
}

std::shared_ptr<AdminTarget> AdminService::serve(Agent& agent, router::Timers& timers) {
  const auto service = std::make_shared<AdminHandlers>(agent);
  const auto handler = [&](auto method) { return typed_handler_of(service, method); };
  auto handlers = diagnostics_handlers(AdminHandlers::diagnostics_parts(agent));
  handlers.merge(std::map<std::string, AdminTarget::Handler>{
      {"GetStatus", handler(&AdminHandlers::status)},
      {"ListModules", handler(&AdminHandlers::modules)},
      {"ListServices", handler(&AdminHandlers::services)},
      {"GetConfig", handler(&AdminHandlers::configuration)},
      {"Reload", handler(&AdminHandlers::reload)},
      {"Upgrade", handler(&AdminHandlers::upgrade)}});
  handlers.merge(controller_handlers(AdminHandlers::core_of(agent)));
  target_ = std::make_shared<AdminTarget>(timers, "control", std::move(handlers),
                                          AdminTarget::Names{"Reload", "Upgrade"},
                                          AdminTarget::Names{"ListControllers", "DescribeObject"});
  return target_;
}

}  // namespace longshore
