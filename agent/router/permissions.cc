#include "router/permissions.h"

#include <algorithm>

namespace longshore::router {

bool CallerSet::contains(const UserIds& caller) const {
  return everybody || users.contains(caller.user) ||
         std::any_of(caller.groups.begin(), caller.groups.end(),
                     [&](const config::UserId& group) { return groups.contains(group); });
}

bool MethodSet::contains(const Method& method) const {
  return all || (reads_only && method.reads_only) || names.contains(method.full_name) ||
         names.contains(method.service);
}

std::shared_ptr<const CallerSet> allowed_callers(const Permissions& permissions,
                                                 const Method& method) {
  if (permissions.rules.empty()) return nullptr;
  auto callers = std::make_shared<CallerSet>();
  callers->key = permissions.key;
  for (const PermissionRule& rule : permissions.rules) {
    if (!rule.methods.contains(method)) continue;
    callers->everybody |= rule.callers.everybody;
    callers->users.insert(rule.callers.users.begin(), rule.callers.users.end());
    callers->groups.insert(rule.callers.groups.begin(), rule.callers.groups.end());
  }
  return callers;
}

std::shared_ptr<const MethodSet> allowed_methods(const Permissions& permissions,
                                                 const UserIds& caller) {
  if (permissions.rules.empty()) return nullptr;
  auto methods = std::make_shared<MethodSet>();
  methods->key = permissions.key;
  for (const PermissionRule& rule : permissions.rules) {
    if (!rule.callers.contains(caller)) continue;
    methods->all |= rule.methods.all;
    methods->reads_only |= rule.methods.reads_only;
    methods->names.insert(rule.methods.names.begin(), rule.methods.names.end());
  }
  return methods;
}

}  // namespace longshore::router
