// The system's answer to the call that just failed, for an Error's `because`.
#pragma once

#include <cerrno>
#include <system_error>

namespace longshore::observe {

inline std::error_code last_error() { return {errno, std::generic_category()}; }

}  // namespace longshore::observe
