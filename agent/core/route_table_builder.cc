#include "core/route_table_builder.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace longshore::core {
namespace {

// A method with what the configuration says of it, and what counts its calls.
std::shared_ptr<const router::Method> configured(const router::Method& described,
                                                 const config::ModuleSettings& settings,
                                                 const router::Permissions& permissions,
                                                 observe::CallMetrics& call_metrics) {
  auto method = std::make_shared<router::Method>(described);
  method->module = settings.name;
  const auto denied = [&](const std::string& name) {
    return name == method->full_name || name == method->service;
  };
  method->denied = std::any_of(settings.deny_methods.begin(), settings.deny_methods.end(), denied);
  const auto own = settings.method_timeouts.find(method->full_name);
  if (own != settings.method_timeouts.end()) {
    method->timeout = own->second;
  } else if (!method->long_running) {
    method->timeout = settings.call_timeout;
  }
  method->callers = router::allowed_callers(permissions, *method);
  method->metrics = call_metrics.of(method->service, method->name, method->server_streaming);
  return method;
}

// Where there is nobody to take calls: says why the module is not there.
class FailedTarget final : public router::Target {
 public:
  explicit FailedTarget(std::string why) : why_(std::move(why)) {}
  Result<void> submit(std::shared_ptr<router::Call>) override {
    return Error::of_text(StatusCode::kUnavailable, why_);
  }
  void execute(router::Call&) override {}

 private:
  const std::string why_;
};

// Those whose files were never read. None: there are none.
std::optional<router::UnknownModules> unknown_modules(const ModuleEntries& entries,
                                                      const std::vector<std::string>& services) {
  router::UnknownModules unknown;
  for (const auto& [name, entry] : entries) {
    if (entry.is_described()) continue;
    unknown.why += (unknown.why.empty() ? "" : "; ") + name + ": " + entry.failure;
  }
  if (unknown.why.empty()) return std::nullopt;
  unknown.served = {services.begin(), services.end()};
  return unknown;
}

}  // namespace

std::shared_ptr<router::Target> target_of(const ModuleEntry& entry) {
  if (entry.serves()) return entry.instance;
  return std::make_shared<FailedTarget>("the module " + entry.settings.name +
                                        " is not running: " + entry.why_not());
}

void RouteTableBuilder::publish(const ModuleEntries& entries, const StandIns& stand_ins) {
  auto routes = std::make_shared<router::RouteTable>();
  auto catalog = std::make_shared<loader::ServiceCatalog>();
  for (const auto& [name, entry] : entries) {
    catalog->add(entry.facts->description, entry.serves());
    const auto stand_in = stand_ins.find(name);
    const auto target = stand_in == stand_ins.end() ? target_of(entry) : stand_in->second;
    for (const auto& method : entry.facts->description.methods) {
      auto known = configured(method, entry.settings, *entry.permissions, call_metrics_);
      routes->by_method.emplace(method.full_name, router::Route{std::move(known), target});
    }
  }
  for (const std::shared_ptr<services::HostService>& service : host_services_.all()) {
    if (service->for_endpoints()) catalog->add(service->description(), true);
    const std::shared_ptr<router::Target> target(service, &service->target());
    for (const auto& method : service->description().methods) {
      auto known = std::make_shared<router::Method>(method);
      known->for_modules_only = !service->for_endpoints();
      known->for_endpoints_only = !service->for_modules();
      // What longshorectl asks would be counted for being looked at.
      if (service->for_modules()) {
        known->metrics = call_metrics_.of(method.service, method.name, method.server_streaming);
      }
      // Whatever a module says that it serves.
      routes->by_method.insert_or_assign(method.full_name, router::Route{std::move(known), target});
    }
  }
  routes->unknown = unknown_modules(entries, catalog->services());
  catalog_.set(std::move(catalog));
  router_.set_routes(std::move(routes));
}

}  // namespace longshore::core
