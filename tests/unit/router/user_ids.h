// Users and groups of tests, by small numbers, as the system that they run on names them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/user_id.h"
#include "router/caller.h"

namespace longshore::router {

inline config::UserId user_id(unsigned number) {
#if defined(_WIN32)
  return "S-1-5-21-" + std::to_string(number);
#else
  return number;
#endif
}

inline std::set<config::UserId> user_ids(const std::set<unsigned>& numbers) {
  std::set<config::UserId> ids;
  for (const unsigned number : numbers) ids.insert(user_id(number));
  return ids;
}

inline UserIds ids_of(unsigned user, const std::vector<unsigned>& groups = {}) {
  UserIds ids;
  ids.user = user_id(user);
  for (const unsigned group : groups) ids.groups.push_back(user_id(group));
  return ids;
}

}  // namespace longshore::router
