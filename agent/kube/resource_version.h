// The order of versions of objects.
//
// They were opaque; Kubernetes 1.35 has made what all servers do a promise: they are decimal
// numbers that grow, and client-go's helpers compare them so. It takes an order to tell whether
// the reply of a write or the event of a watch is the newer state.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <compare>
#include <optional>
#include <string_view>

namespace longshore::kube {

// Nothing: one of them is no such number, as those of servers that stand for others may be.
inline std::optional<std::strong_ordering> compare_versions(std::string_view one,
                                                            std::string_view other) {
  const auto is_number = [](std::string_view version) {
    return !version.empty() && version[0] != '0' &&
           std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_number(one) || !is_number(other)) return std::nullopt;
  if (one.size() != other.size()) return one.size() <=> other.size();
  return one <=> other;
}

inline bool is_newer(std::string_view one, std::string_view other) {
  return compare_versions(one, other) == std::strong_ordering::greater;
}

}  // namespace longshore::kube
