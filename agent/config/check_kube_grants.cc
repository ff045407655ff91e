#include <algorithm>

#include "config/check.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

class KubeGrantCheck {
 public:
  KubeGrantCheck(const Draft& draft, Findings& findings) : draft_(draft), findings_(findings) {}

  void run() {
    for (const ModuleSettings& module : draft_.configuration.modules) {
      for (const KubeGrant& grant : module.kube_grants) {
        const std::string path = joined(joined(module.table(), "kube_grants"), grant.name);
        check_is_named(path, "api_groups", grant.api_groups, "[\"\"] for the core's");
        check_is_named(path, "resources", grant.resources, "[\"<resource>\"]");
        check_is_named(path, "verbs", grant.verbs, "[\"<verb>\"]");
        check_secrets(grant, joined(path, "verbs"));
      }
    }
  }

 private:
  // What was given and could not be read has its finding.
  void check_is_named(const std::string& table, const std::string& key, const Names& names,
                      const std::string& example) {
    const std::string path = joined(table, key);
    if (names.empty() && !is_unreadable(path)) {
      findings_.add(place_of(draft_.origins, {path, table}),
                    in_quotes(table) + " allows nothing; write " + key + " = " + example);
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] != "*") continue;
      findings_.add(item_place(draft_.origins, path, i),
                    in_quotes(path) + " has no \"*\"; name each that the controller needs");
    }
  }

  bool is_unreadable(const std::string& path) const {
    const auto origin = draft_.origins.find(path);
    return origin != draft_.origins.end() && !origin->second.items.empty();
  }

  void check_secrets(const KubeGrant& grant, const std::string& path) {
    if (!contains(grant.api_groups, "") || !contains(grant.resources, "secrets")) return;
    for (size_t i = 0; i < grant.verbs.size(); ++i) {
      if (grant.verbs[i] != "list" && grant.verbs[i] != "watch") continue;
      findings_.add(item_place(draft_.origins, path, i),
                    in_quotes(path) + " names " + in_quotes(grant.verbs[i]) +
                        ", and secrets are neither listed nor watched; write \"get\"");
    }
  }

  const Draft& draft_;
  Findings& findings_;
};

}  // namespace

void check_kube_grants(const Draft& draft, Findings& findings) {
  KubeGrantCheck(draft, findings).run();
}

}  // namespace longshore::config
