#include "services/host_services.h"

namespace longshore::services {

config::HostServiceNames HostServices::names() const {
  config::HostServiceNames names;
  const auto add = [](const loader::ModuleDescription& description, std::vector<std::string>& to) {
    to.insert(to.end(), description.services.begin(), description.services.end());
    for (const router::Method& method : description.methods) to.push_back(method.full_name);
  };
  for (const auto& service : all_) {
    if (service->for_modules()) add(service->description(), names.for_modules);
    if (service->for_endpoints()) add(service->description(), names.for_endpoints);
  }
  return names;
}

std::vector<std::string> HostServices::services_for_endpoints() const {
  std::vector<std::string> all;
  for (const auto& service : all_) {
    if (!service->for_endpoints()) continue;
    const auto& services = service->description().services;
    all.insert(all.end(), services.begin(), services.end());
  }
  return all;
}

void HostServices::start(router::Timers& timers, observe::Log& log,
                         const CurrentConfiguration& configuration) const {
  for (const auto& service : all_) service->start(timers, log, configuration);
}

void HostServices::stop() const {
  for (const auto& service : all_) service->stop();
}

void HostServices::add_to(observe::StatusReport& report) const {
  for (const auto& service : all_) service->add_to(report);
}

void HostServices::modules_changed(const ModuleStates& modules) const {
  for (const auto& service : all_) service->modules_changed(modules);
}

std::vector<std::shared_ptr<RunCondition>> HostServices::run_conditions(
    const config::ModuleSettings& controller) const {
  std::vector<std::shared_ptr<RunCondition>> conditions;
  for (const auto& service : all_) {
    if (auto condition = service->run_condition(controller)) {
      conditions.push_back(std::move(condition));
    }
  }
  return conditions;
}

}  // namespace longshore::services
