// What the agent itself serves, beside its modules: a table of targets, reached as modules are.
//
// A target brings threads of its own or must not block: `submit` is called on the caller's thread.
// A service is for modules, which name it in `may_call`; for endpoints, whose `services` name it;
// or for both. It may also decide when a controller runs, by a condition.
//
// A configuration may name services as soon as they are described; they are served once they are
// bound, before the first module starts.
//
// Threads: `add` and `bind` before the first module starts, `add` before a configuration is read
// that names the service; the rest any. Owner: the inspected modules, and so the agent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "loader/description.h"
#include "router/target.h"
#include "services/module_state.h"
#include "services/run_condition.h"

namespace longshore::services {

struct HostService {
  loader::ModuleDescription description;             // its services and their methods
  std::shared_ptr<router::Target> target = nullptr;  // null until it is bound
  bool for_modules = false;
  bool for_endpoints = false;
  // What the service asks of a controller with these settings before it may run, always the same
  // object for the same controller. Empty, or null: nothing.
  std::function<std::shared_ptr<RunCondition>(const config::ModuleSettings& controller)>
      run_condition = nullptr;
  // Hears of all modules after each change of the set: which run, which have stopped, which the
  // configuration does not name any more. Must not block. [control] Null: it need not know.
  std::function<void(const ModuleStates& modules)> modules_changed = nullptr;
  // Ends the threads that the service has. Null: it has none.
  std::function<void()> stop = nullptr;
};

class HostServices {
 public:
  void add(HostService service);
  // Serves what was added under this name.
  void bind(const std::string& service, std::shared_ptr<router::Target> target,
            std::function<void()> stop = nullptr);
  const std::vector<HostService>& all() const { return all_; }

  // Tells the services that want to know. [control]
  void modules_changed(const ModuleStates& modules) const;

  // At the end, when no module is left: who still calls is refused. [control]
  void stop() const;

  // What `may_call` may name: the services for modules, and their methods.
  std::vector<std::string> names_for_modules() const;

  // All that has to be met for this controller to run.
  std::vector<std::shared_ptr<RunCondition>> run_conditions(
      const config::ModuleSettings& controller) const;

 private:
  std::vector<HostService> all_;
};

}  // namespace longshore::services
