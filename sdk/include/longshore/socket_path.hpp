// How long the path of a Unix socket may be.
//
// Threads: any; a plain function. Source: unix(7), sun_path.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longshore {

// What fits into an address of the system's, without the zero at its end.
inline constexpr size_t kMaxSocketPathBytes = 107;

// Why the path is too long, as "path has 108 bytes, ...", after "its" or "the"; empty: it is not.
inline std::string socket_path_excess(std::string_view path) {
  if (path.size() <= kMaxSocketPathBytes) return {};
  return "path has " + std::to_string(path.size()) + " bytes, and that of a socket " +
         std::to_string(kMaxSocketPathBytes) + " at most";
}

}  // namespace longshore
