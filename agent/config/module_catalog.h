// How the configuration learns what modules offer without knowing how they are loaded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "longshore/result.hpp"

namespace longshore::config {

enum class OptionType { kBool, kInt, kFloat, kString, kStrings, kDuration };

// One key of `[modules.<name>.settings]`, from the module's description.
struct OptionSchema {
  std::string name;
  OptionType type = OptionType::kString;
  std::optional<OptionValue> default_value;  // none: required
  std::string doc;
  std::vector<std::string> one_of;                   // of strings; empty allows any
  std::optional<std::pair<int64_t, int64_t>> range;  // of numbers, and of durations in nanoseconds
  bool secret = false;
};

// What the configuration has to know of a module.
struct ModuleSchema {
  std::string summary;
  bool is_controller = false;
  std::vector<std::string> services;  // "v1.Filesystem"
  std::vector<std::string> methods;   // "v1.Filesystem/PathExists"
  // Methods of other modules that it calls if it may.
  std::vector<std::string> calls;
  // The sockets of csi-proxy's that it is reached by: "filesystem-v1".
  std::vector<std::string> csi_proxy_sockets;
  std::vector<OptionSchema> options;
  // What it asks of the Kubernetes API server if it may.
  std::vector<KubeGrant> kube_grants;
  // Where people find the role that allows it; empty: none is known.
  std::string role_file;
  // The option that is the address of the CSI driver without which it is of no use; empty: none.
  std::string wait_for_driver_option;
  // By which one of several agents runs it, as of the key leader_election.lease; empty: each does.
  std::string lease;
};

// What the agent serves itself, as services and as methods.
struct HostServiceNames {
  std::vector<std::string> for_modules;    // which name it in `may_call`
  std::vector<std::string> for_endpoints;  // whose `services` name it
};

// Implemented by the loader's side, and by a fake in tests. Threads: the one that loads.
class ModuleCatalog {
 public:
  virtual ~ModuleCatalog() = default;
  virtual HostServiceNames host_services() const { return {}; }
  // `describe` will be asked for these, of which those that are not enabled do not count. Who has
  // much to read can do so for all of them at once.
  virtual void expect(const std::vector<ModuleSettings>&, const AgentSettings&) {}
  // Reads the description of the module that `module` names with `library` and `sha256`.
  virtual Result<ModuleSchema> describe(const ModuleSettings& module,
                                        const AgentSettings& agent) = 0;
};

}  // namespace longshore::config
