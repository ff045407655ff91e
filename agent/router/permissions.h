// Who may call what, as rules of the configuration say it, in the form in which calls are checked.
//
//   rules of a module ──── allowed_callers, once per route table ──► CallerSet of each method
//   rules of an endpoint ─ allowed_methods, once per connection ───► MethodSet of the caller
//
// Where there are no rules there is no set, and nothing is looked up. A set allows only what it
// names: an empty one allows nothing to nobody.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/user_id.h"
#include "router/caller.h"
#include "router/method.h"

namespace longshore::router {

// Some callers. Immutable once it is in use.
struct CallerSet {
  bool everybody = false;
  std::set<config::UserId> users;
  std::set<config::UserId> groups;
  std::string key;  // of the rules it was made of, for messages: "modules.disk.permissions"

  bool contains(const UserIds& caller) const;
};

// Some methods. Immutable once it is in use.
struct MethodSet {
  bool all = false;
  bool reads_only = false;                   // all methods that change nothing
  std::set<std::string, std::less<>> names;  // full names and services
  std::string key;

  bool contains(const Method& method) const;
};

struct PermissionRule {
  CallerSet callers;
  MethodSet methods;
};

struct Permissions {
  std::string key;
  std::vector<PermissionRule> rules;
};

// Whom any of the rules allows to call `method`. Null where there are no rules: everybody.
std::shared_ptr<const CallerSet> allowed_callers(const Permissions& permissions,
                                                 const Method& method);

// What any of the rules allows `caller` to call. Null where there are no rules: everything.
std::shared_ptr<const MethodSet> allowed_methods(const Permissions& permissions,
                                                 const UserIds& caller);

}  // namespace longshore::router
