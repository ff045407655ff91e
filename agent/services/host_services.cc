#include "services/host_services.h"

#include <algorithm>

namespace longshore::services {

void HostServices::add(HostService service) {
  for (router::Method& method : service.description.methods) {
    method.for_modules_only = service.for_modules && !service.for_endpoints;
  }
  all_.push_back(std::move(service));
}

void HostServices::bind(const std::string& service, std::shared_ptr<router::Target> target,
                        std::function<void()> stop) {
  for (HostService& each : all_) {
    const auto& names = each.description.services;
    if (std::find(names.begin(), names.end(), service) != names.end()) {
      each.target = target;
      each.stop = stop;
    }
  }
}

void HostServices::stop() const {
  for (const HostService& service : all_) {
    if (service.stop) service.stop();
  }
}

void HostServices::modules_changed(const ModuleStates& modules) const {
  for (const HostService& service : all_) {
    if (service.modules_changed) service.modules_changed(modules);
  }
}

std::vector<std::string> HostServices::names_for_modules() const {
  std::vector<std::string> names;
  for (const HostService& service : all_) {
    if (!service.for_modules) continue;
    const auto& description = service.description;
    names.insert(names.end(), description.services.begin(), description.services.end());
    for (const router::Method& method : description.methods) names.push_back(method.full_name);
  }
  return names;
}

std::vector<std::shared_ptr<RunCondition>> HostServices::run_conditions(
    const config::ModuleSettings& controller) const {
  std::vector<std::shared_ptr<RunCondition>> conditions;
  for (const HostService& service : all_) {
    if (!service.run_condition) continue;
    if (auto condition = service.run_condition(controller)) {
      conditions.push_back(std::move(condition));
    }
  }
  return conditions;
}

}  // namespace longshore::services
