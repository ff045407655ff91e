// Why nobody can be reached at a socket, in words that help.
#pragma once

#include <string>
#include <system_error>

#include "longshore/result.hpp"

namespace longshore::ctl {

// The error of a connect to `socket` that failed with `code`, with what the file system shows: that
// there is nothing, what else is there, who may use it.
Error not_reachable(const std::string& socket, std::error_code code);

}  // namespace longshore::ctl
