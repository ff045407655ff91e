#include <map>
#include <string>

#include "config/check.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

class ServedOnce {
 public:
  ServedOnce(const Configuration& configuration, const Origins& origins, Findings& findings)
      : configuration_(configuration), origins_(origins), findings_(findings) {}

  void add(const std::string& module, const ModuleSchema& schema) {
    bool is_second = false;
    for (const std::string& service : schema.services) {
      const auto [first, is_new] = module_of_.try_emplace(service, module);
      if (is_new) continue;
      is_second = true;
      add_second(first->second, module, in_quotes(service));
    }
    if (is_second || !configuration_.csi_proxy.enabled) return;
    for (const std::string& socket : schema.csi_proxy_sockets) {
      const auto [first, is_new] = module_at_.try_emplace(socket, module);
      if (!is_new) add_second(first->second, module, "csi-proxy's socket " + in_quotes(socket));
    }
  }

 private:
  void add_second(const std::string& first, const std::string& second, const std::string& what) {
    for (const ModuleSettings& module : configuration_.modules) {
      if (module.name != second) continue;
      const std::string path = module.table();
      findings_.add(place_of(origins_, {joined(path, "library"), path}),
                    "the modules " + in_quotes(first) + " and " + in_quotes(second) +
                        " both serve " + what + "; disable one of them");
    }
  }

  const Configuration& configuration_;
  const Origins& origins_;
  Findings& findings_;
  std::map<std::string, std::string> module_of_;  // by service
  std::map<std::string, std::string> module_at_;  // by csi-proxy's socket
};

}  // namespace

void check_served_once(const Configuration& configuration, const Origins& origins,
                       const ModuleSchemas& schemas, Findings& findings) {
  ServedOnce served(configuration, origins, findings);
  for (const auto& [name, schema] : schemas) served.add(name, schema);
}

Result<void> check_served_once(const Loaded& loaded) {
  Findings findings;
  check_served_once(loaded.configuration, loaded.origins, loaded.schemas, findings);
  if (findings.empty()) return {};
  return Error::of_text(StatusCode::kInvalidArgument, findings.text(loaded.configuration.files));
}

}  // namespace longshore::config
