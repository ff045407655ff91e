// Whether only trusted users can change a file: these files name, or are, code that runs as root.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::config {

// `path` and every folder above it must be owned by root or one of `owners` (user ids) and closed
// to writes by group and others; a sticky folder may be open. The error names the culprit.
Result<void> check_ownership(const std::string& path, const std::vector<unsigned>& owners);

}  // namespace longshore::config
