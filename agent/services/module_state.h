// What has become of a module or controller of the configuration, as host services hear of it.
#pragma once

#include <string>
#include <vector>

namespace longshore::services {

struct ModuleState {
  std::string name;
  bool is_controller = false;
  std::string state;           // as `longshorectl modules` shows it
  std::string reason;          // why it does not serve
  std::string role_file = {};  // where people find its Kubernetes role, as its description says
  bool has_failed = false;     // and nothing of it runs

  bool operator==(const ModuleState&) const = default;
};

// One for each, in the order of their names: one that is not among them is gone.
using ModuleStates = std::vector<ModuleState>;

}  // namespace longshore::services
