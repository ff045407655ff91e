#include <algorithm>

#include "config/check.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

// Checks the rules of one table after the other. A mistake must not leave a rule that allows less,
// or more, than it seems to: each is reported.
class PermissionCheck {
 public:
  PermissionCheck(const Draft& draft, const ModuleSchemas& schemas,
                  const HostServiceNames& host_services, Findings& findings)
      : draft_(draft), schemas_(schemas), host_services_(host_services), findings_(findings) {}

  void run() {
    const Configuration& configuration = draft_.configuration;
    for (const ModuleSettings& module : configuration.modules) {
      const auto schema = schemas_.find(module.name);
      const ModuleSchema* known = schema == schemas_.end() ? nullptr : &schema->second;
      check(module.table(), module.permissions, known ? names_of(*known) : Names(),
            known != nullptr, "the module has no such method or service");
    }
    const bool described = all_described(configuration, schemas_);
    const char* const not_served = "the endpoint has no such method or service";
    check("endpoints.csi_proxy_access", configuration.csi_proxy.access.permissions,
          names_of_modules(), described, not_served);
    for (const EndpointSettings& endpoint : configuration.endpoints) {
      check(joined("endpoints", endpoint.name), endpoint.access.permissions,
            names_of_services(endpoint.services), described, not_served);
    }
  }

 private:
  using Names = std::vector<std::string>;

  static Names names_of(const ModuleSchema& schema) {
    Names names = schema.services;
    names.insert(names.end(), schema.methods.begin(), schema.methods.end());
    return names;
  }

  // What modules serve, and the methods of that.
  Names names_of_modules() const {
    Names names;
    for (const auto& [module, schema] : schemas_) {
      const Names more = names_of(schema);
      names.insert(names.end(), more.begin(), more.end());
    }
    return names;
  }

  // These services, and their methods.
  Names names_of_services(const Names& services) const {
    Names names = names_of_modules();
    const Names& own = host_services_.for_endpoints;
    names.insert(names.end(), own.begin(), own.end());
    std::erase_if(names, [&](const std::string& name) {
      const std::string service = name.substr(0, name.find('/'));
      return std::find(services.begin(), services.end(), service) == services.end();
    });
    return names;
  }

  void check(const std::string& table, const std::vector<PermissionRule>& rules, Names valid,
             bool valid_is_known, const std::string& why_unknown) {
    valid.insert(valid.end(), {"reads_only", "*"});
    for (const PermissionRule& rule : rules) {
      const std::string path = joined(joined(table, "permissions"), rule.name);
      check_is_whole(rule, path);
      if (valid_is_known) check_methods(rule.methods, joined(path, "methods"), valid, why_unknown);
    }
  }

  void check_is_whole(const PermissionRule& rule, const std::string& path) {
    const Place place = place_of(draft_.origins, {path});
    const std::string users_path = joined(path, "users");
    const std::string groups_path = joined(path, "groups");
    const std::string methods_path = joined(path, "methods");
    const auto is_given = [&](const std::string& key) { return draft_.origins.contains(key); };
    // What was given and could not be read has its finding.
    const bool names_nobody = rule.users.empty() && rule.groups.empty();
    if (names_nobody && !is_given(users_path) && !is_given(groups_path)) {
      findings_.add(place, in_quotes(path) +
                               " names nobody; write users = [\"<name>\"], groups = [\"<name>\"] "
                               "or, for everybody, users = [\"*\"]");
    }
    if (rule.methods.empty() && !is_given(methods_path)) {
      findings_.add(place, in_quotes(path) +
                               " allows nothing; write methods = [\"<service>\"], [\"reads_only\"] "
                               "or, for all, [\"*\"]");
    }
  }

  void check_methods(const Names& methods, const std::string& path, const Names& valid,
                     const std::string& why_unknown) {
    for (size_t i = 0; i < methods.size(); ++i) {
      if (std::find(valid.begin(), valid.end(), methods[i]) != valid.end()) continue;
      findings_.add(item_place(draft_.origins, path, i),
                    in_quotes(path) + " names " + in_quotes(methods[i]) + ", and " + why_unknown +
                        suggestion(methods[i], valid));
    }
  }

  const Draft& draft_;
  const ModuleSchemas& schemas_;
  const HostServiceNames& host_services_;
  Findings& findings_;
};

}  // namespace

void check_permissions(const Draft& draft, const ModuleSchemas& schemas,
                       const HostServiceNames& host_services, Findings& findings) {
  PermissionCheck(draft, schemas, host_services, findings).run();
}

}  // namespace longshore::config
