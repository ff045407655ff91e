// What Windows answers about files, in the few kinds that callers tell apart.
//
// Codes are Windows' own (std::system_category()), so that errors have Windows' words. What Windows
// has no code for is the standard's: cross_device_link for what leads out of the allowed roots,
// not_a_directory and too_many_symbolic_link_levels.
//
// Threads: plain functions.
#pragma once

#include <windows.h>

#include <string_view>
#include <system_error>

#include "longshore/result.hpp"

namespace longshore::support {

inline std::error_code windows_error(DWORD code) {
  return {static_cast<int>(code), std::system_category()};
}

// Nothing has the name, or something on the way to it is missing. Also what is being removed: it
// has its name until the last handle is closed.
bool is_not_found(const std::error_code& error);

// The same, or something on the way is no directory.
bool is_missing(const std::error_code& error);

// The name is taken.
bool is_taken(const std::error_code& error);

bool is_not_empty(const std::error_code& error);

// The error of an operation that Windows answered with `error`.
Error file_failure(std::string_view object, std::string_view operation,
                   const std::error_code& error);

}  // namespace longshore::support
