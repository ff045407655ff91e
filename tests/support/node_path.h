// Paths as this node writes them, for suites that run on both systems: "/a/b" is "C:\a\b" on
// Windows.
//
// Threads: plain functions.
#pragma once

#include <algorithm>
#include <string>

namespace longshore::test {

#if defined(_WIN32)

// A relative path stays one; what is a node's path already stays as it is.
inline std::string node_path(std::string path) {
  if (path.starts_with('/')) path.insert(0, "C:");
  std::replace(path.begin(), path.end(), '/', '\\');
  return path;
}

// The other way round.
inline std::string posix_path(std::string path) {
  if (path.starts_with("C:")) path.erase(0, 2);
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

// A path that the other system would take.
inline std::string foreign_path() { return "/var/lib/kubelet/pods"; }

#else

inline std::string node_path(std::string path) { return path; }
inline std::string posix_path(std::string path) { return path; }
inline std::string foreign_path() { return "C:\\var\\lib\\kubelet\\pods"; }

#endif

}  // namespace longshore::test
