// Whether only trusted users can change a file: these files name, or are, code that runs as root.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "config/user_names.h"
#include "longshore/result.hpp"

namespace longshore::config {

// Who may own what the agent loads and runs, besides root: its own user and trusted_owners.
inline Result<std::vector<UserId>> owners_of_code(const AgentSettings& agent) {
  std::vector<UserId> owners = {own_user_id()};
  for (const std::string& name : agent.trusted_owners) {
    const Result<UserId> id = user_id_of(name);
    if (!id) return id.error();
    owners.push_back(*id);
  }
  return owners;
}

// `path` and every folder above it must be owned by root or one of `owners` (user ids) and closed
// to writes by group and others; a sticky folder may be open. The error names the culprit.
Result<void> check_ownership(const std::string& path, const std::vector<UserId>& owners);

}  // namespace longshore::config
