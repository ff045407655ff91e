// What Windows' error codes tell a caller.
//
// Threads: any; plain functions.
#pragma once

#include <cstdint>
#include <system_error>

#include "longshore/result.hpp"

namespace longshore::support {

// Whether it is this code of Windows'.
inline bool is_windows_error(const std::error_code& error, uint32_t code) {
  return error.category() == std::system_category() && error.value() == static_cast<int>(code);
}

// The status that tells most: what devices and volumes answer is in no list of the standard's.
StatusCode status_code_of_windows(const std::error_code& error);

}  // namespace longshore::support
