// How the system names a user or a group: by a number on Linux, on Windows by a security identifier
// (SID) in its text form, "S-1-5-18".
#pragma once

#include <string>

namespace longshore::config {

#if defined(_WIN32)
using UserId = std::string;
#else
using UserId = unsigned;
#endif

// "uid:0" or "sid:S-1-5-18": how the router and the modules see a caller.
inline std::string identity_of(const UserId& user) {
#if defined(_WIN32)
  return "sid:" + user;
#else
  return "uid:" + std::to_string(user);
#endif
}

}  // namespace longshore::config
