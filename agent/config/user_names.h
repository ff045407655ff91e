// Users and groups of the configuration, by name or number, to the ids the system uses.
#pragma once

#include <string>
#include <vector>

#include "config/user_id.h"
#include "longshore/result.hpp"

namespace longshore::config {

Result<UserId> user_id_of(const std::string& name_or_number);
Result<UserId> group_id_of(const std::string& name_or_number);
UserId own_user_id();
// The group that this process runs as, and its further ones.
std::vector<UserId> own_group_ids();
int own_process_id();

}  // namespace longshore::config
