// What the agent itself serves, beside its modules: a table of targets, reached as modules are.
//
// Each target has threads of its own, so that one that is busy holds up no other. A service is for
// modules, which name it in `may_call`; for endpoints, whose `services` name it; or for both. It
// may also decide when a controller runs, by a condition.
//
// Threads: `add` before the first configuration is read; the rest any. Owner: the agent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "loader/description.h"
#include "router/target.h"
#include "services/run_condition.h"

namespace longshore::services {

struct HostService {
  loader::ModuleDescription description;  // its services and their methods
  std::shared_ptr<router::Target> target;
  bool for_modules = false;
  bool for_endpoints = false;
  // What the service asks of a controller with these settings before it may run, always the same
  // object for the same controller. Empty, or null: nothing.
  std::function<std::shared_ptr<RunCondition>(const config::ModuleSettings& controller)>
      run_condition = nullptr;
};

class HostServices {
 public:
  void add(HostService service);
  const std::vector<HostService>& all() const { return all_; }

  // What `may_call` may name: the services for modules, and their methods.
  std::vector<std::string> names_for_modules() const;

  // All that has to be met for this controller to run.
  std::vector<std::shared_ptr<RunCondition>> run_conditions(
      const config::ModuleSettings& controller) const;

 private:
  std::vector<HostService> all_;
};

}  // namespace longshore::services
