// A driver's name as Kubernetes takes it in finalizers. Names of Leases are the agent's.
//
// Threads: any; a plain function.
#pragma once

#include <algorithm>
#include <string>

namespace longshore::plugins {

// Letters, digits and dashes stay. As external sidecars make it of the names that CSI allows, which
// are ASCII, so that they and we take each other's objects over.
inline std::string sanitized_name(std::string name) {
  std::ranges::replace_if(
      name,
      [](char each) {
        return !((each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
                 (each >= '0' && each <= '9') || each == '-');
      },
      '-');
  if (name.ends_with('-')) name += 'X';
  return name;
}

}  // namespace longshore::plugins
