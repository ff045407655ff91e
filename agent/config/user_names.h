// Users and groups of the configuration, by name or number, to the numbers the system uses.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::config {

Result<unsigned> user_id_of(const std::string& name_or_number);
Result<unsigned> group_id_of(const std::string& name_or_number);
unsigned own_user_id();
// The group that this process runs as, and its further ones.
std::vector<unsigned> own_group_ids();
int own_process_id();

}  // namespace longshore::config
