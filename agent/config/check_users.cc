#include "config/check.h"
#include "config/toml_text.h"
#include "config/user_names.h"

namespace longshore::config {
namespace {

// A name that the system does not know would keep the agent from starting, or leave a rule that
// allows less than it seems to. The user of a module's process is the module's affair: without it
// that module does not start, and the others serve.
class UserCheck {
 public:
  UserCheck(const Draft& draft, Findings& findings) : draft_(draft), findings_(findings) {}

  void run() {
    const Configuration& configuration = draft_.configuration;
    check_all(kUser, configuration.agent.trusted_owners, "agent.trusted_owners");
    check(configuration.csi_proxy.access, joined("endpoints", "csi_proxy_access"));
    for (const EndpointSettings& endpoint : configuration.endpoints) {
      check(endpoint.access, joined("endpoints", endpoint.name));
    }
    for (const ModuleSettings& module : configuration.modules) {
      check(module.permissions, module.table());
    }
  }

 private:
  struct Kind {
    const char* name;
    Result<UserId> (*id_of)(const std::string&);
  };
  static constexpr Kind kUser{"user", &user_id_of};
  static constexpr Kind kGroup{"group", &group_id_of};

  void check(const AccessSettings& access, const std::string& path) {
    check_one(kUser, access.owner, joined(path, "owner"));
    check_one(kGroup, access.group, joined(path, "group"));
    check_all(kUser, access.allow_users, joined(path, "allow_users"));
    check_all(kGroup, access.allow_groups, joined(path, "allow_groups"));
    check(access.permissions, path);
  }

  void check(const std::vector<PermissionRule>& rules, const std::string& owner) {
    for (const PermissionRule& rule : rules) {
      const std::string path = joined(joined(owner, "permissions"), rule.name);
      std::vector<std::string> users = rule.users;
      for (std::string& user : users) {
        if (user == "*") user.clear();  // everybody
      }
      check_all(kUser, users, joined(path, "users"));
      check_all(kGroup, rule.groups, joined(path, "groups"));
    }
  }

  void check_all(const Kind& kind, const std::vector<std::string>& names, const std::string& path) {
    for (size_t i = 0; i < names.size(); ++i) {
      check(kind, names[i], path, item_place(draft_.origins, path, i));
    }
  }

  void check_one(const Kind& kind, const std::string& name, const std::string& path) {
    check(kind, name, path, place_of(draft_.origins, {path}));
  }

  void check(const Kind& kind, const std::string& name, const std::string& path,
             const Place& place) {
    if (name.empty() || kind.id_of(name)) return;
    findings_.add(place, in_quotes(path) + " names " + in_quotes(name) +
                             ", and the system has no " + kind.name + " of that name or id");
  }

  const Draft& draft_;
  Findings& findings_;
};

}  // namespace

void check_users(const Draft& draft, Findings& findings) { UserCheck(draft, findings).run(); }

}  // namespace longshore::config
