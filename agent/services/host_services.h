// All that the agent itself serves, beside its modules.
//
// Threads: `add` before a configuration is read that names the service, and before `start`; the
// rest any, unless it says otherwise. Owner: the inspected modules, and so the agent.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/module_catalog.h"
#include "services/host_service.h"

namespace longshore::services {

class HostServices {
 public:
  void add(std::shared_ptr<HostService> service) { all_.push_back(std::move(service)); }
  const std::vector<std::shared_ptr<HostService>>& all() const { return all_; }

  // What configurations may name.
  config::HostServiceNames names() const;
  // Those for endpoints, without their methods.
  std::vector<std::string> services_for_endpoints() const;

  // Before the first module starts. All are there until after `stop`. [control]
  void start(router::Timers& timers, observe::Log& log,
             const CurrentConfiguration& configuration) const;
  // At the end, when no module is left: who still calls is refused. [control]
  void stop() const;

  // Adds what the services have to tell of themselves.
  void add_to(observe::StatusReport& report) const;

  // Tells the services that want to know. [control]
  void modules_changed(const ModuleStates& modules) const;
  // All that has to be met for this controller to run. [control]
  std::vector<std::shared_ptr<RunCondition>> run_conditions(
      const config::ModuleSettings& controller) const;

 private:
  std::vector<std::shared_ptr<HostService>> all_;
};

}  // namespace longshore::services
