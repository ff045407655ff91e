#include <algorithm>
#include <string_view>

#include "config/check.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

// "v1", "v1beta2", "v2alpha1"
bool is_version(std::string_view word) {
  if (!word.starts_with('v')) return false;
  word.remove_prefix(1);
  const auto skip_digits = [&word] {
    const size_t before = word.size();
    while (!word.empty() && word.front() >= '0' && word.front() <= '9') word.remove_prefix(1);
    return word.size() < before;
  };
  if (!skip_digits()) return false;
  for (const std::string_view stage : {"alpha", "beta"}) {
    if (!word.starts_with(stage)) continue;
    word.remove_prefix(stage.size());
    return skip_digits() && word.empty();
  }
  return word.empty();
}

// "v1.Disk/PartitionDisk" and "v1beta3.Disk/PartitionDisk" are ".Disk/PartitionDisk".
std::string without_version(std::string_view method) {
  std::string rest;
  while (!method.empty()) {
    const size_t end = std::min(method.find('.'), method.size());
    if (!is_version(method.substr(0, end))) rest += method.substr(0, end);
    rest += '.';
    method.remove_prefix(std::min(end + 1, method.size()));
  }
  return rest;
}

class OpenVersions {
 public:
  OpenVersions(const Draft& draft, const ModuleSettings& module, const ModuleSchema& schema)
      : draft_(draft), module_(module), schema_(schema) {}

  std::vector<std::string> of(const std::string& denied) const {
    std::vector<std::string> open;
    for (const std::string& method : schema_.methods) {
      const bool is_other = method != denied && without_version(method) == without_version(denied);
      if (is_other && !is_denied(method) && is_served(method)) open.push_back(method);
    }
    return open;
  }

 private:
  bool is_denied(const std::string& method) const {
    return std::ranges::find(module_.deny_methods, method) != module_.deny_methods.end();
  }

  // Where anybody can reach it: at a socket of csi-proxy's, at another endpoint, or from a module.
  bool is_served(const std::string& method) const {
    if (draft_.configuration.csi_proxy.enabled && !schema_.csi_proxy_sockets.empty()) return true;
    const std::string service = method.substr(0, method.find('/'));
    const auto names_it = [&](const std::vector<std::string>& names) {
      return std::ranges::any_of(
          names, [&](const std::string& name) { return name == service || name == method; });
    };
    const Configuration& all = draft_.configuration;
    return std::ranges::any_of(all.endpoints, names_it, &EndpointSettings::services) ||
           std::ranges::any_of(all.modules, [&](const ModuleSettings& module) {
             return module.enabled && names_it(module.may_call);
           });
  }

  const Draft& draft_;
  const ModuleSettings& module_;
  const ModuleSchema& schema_;
};

std::string listed(const std::vector<std::string>& methods) {
  std::string list;
  for (const std::string& method : methods) list += (list.empty() ? "" : ", ") + in_quotes(method);
  return list;
}

}  // namespace

void warn_of_open_versions(const Draft& draft, const ModuleSchemas& schemas, Findings& warnings) {
  for (const ModuleSettings& module : draft.configuration.modules) {
    const auto schema = schemas.find(module.name);
    if (schema == schemas.end()) continue;
    const OpenVersions open_versions(draft, module, schema->second);
    const std::string path = joined(module.table(), "deny_methods");
    for (size_t i = 0; i < module.deny_methods.size(); ++i) {
      const auto open = open_versions.of(module.deny_methods[i]);
      if (open.empty()) continue;
      warnings.add(item_place(draft.origins, path, i),
                   '"' + path + "\" denies " + in_quotes(module.deny_methods[i]) +
                       " and leaves the same method of other versions open: " + listed(open) +
                       "; deny these too, or do not serve their versions");
    }
  }
}

}  // namespace longshore::config
