#include "router/configured_permissions.h"

#include <set>
#include <utility>

#include "config/user_names.h"

namespace longshore::router {
namespace {

Result<void> add_ids(const std::vector<std::string>& names,
                     Result<config::UserId> (*id_of)(const std::string&),
                     std::set<config::UserId>& ids) {
  for (const std::string& name : names) {
    const Result<config::UserId> id = id_of(name);
    if (!id) return id.error();
    ids.insert(*id);
  }
  return {};
}

Result<CallerSet> callers_of(const config::PermissionRule& rule) {
  CallerSet callers;
  std::vector<std::string> users = rule.users;
  callers.everybody = std::erase(users, "*") > 0;
  if (auto added = add_ids(users, &config::user_id_of, callers.users); !added) {
    return std::move(added).error();
  }
  if (auto added = add_ids(rule.groups, &config::group_id_of, callers.groups); !added) {
    return std::move(added).error();
  }
  return callers;
}

MethodSet methods_of(const config::PermissionRule& rule) {
  MethodSet methods;
  methods.names = {rule.methods.begin(), rule.methods.end()};
  methods.all = methods.names.erase("*") > 0;
  methods.reads_only = methods.names.erase("reads_only") > 0;
  return methods;
}

}  // namespace

Result<std::shared_ptr<const Permissions>> permissions_of(
    std::string key, const std::vector<config::PermissionRule>& rules) {
  auto permissions = std::make_shared<Permissions>();
  permissions->key = std::move(key);
  for (const config::PermissionRule& rule : rules) {
    Result<CallerSet> callers = callers_of(rule);
    if (!callers) return std::move(callers).error();
    permissions->rules.push_back({std::move(*callers), methods_of(rule)});
  }
  return std::shared_ptr<const Permissions>(std::move(permissions));
}

}  // namespace longshore::router
