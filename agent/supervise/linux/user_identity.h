// Who a process is that runs as a user of the configuration.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::supervise {

struct UserIdentity {
  unsigned user = 0;
  unsigned group = 0;
  std::vector<unsigned> groups;  // the supplementary ones
};

// By name or number. A number that has no name has a group of the same number and no others.
Result<UserIdentity> user_identity(const std::string& name_or_number);

// Makes the folder, if it is not there, and its owner that user, whom the path need not let in yet.
Result<void> give_folder(const std::string& path, unsigned user, unsigned group);

}  // namespace longshore::supervise
