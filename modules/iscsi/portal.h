// A portal: the address and the TCP port where targets are offered.
//
// Threads: plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore::iscsi {

constexpr uint16_t kDefaultPort = 3260;

struct Portal {
  std::string address;  // "192.0.2.1", "2001:db8::1", "storage.example.org": one way to write each
  uint16_t port = kDefaultPort;

  auto operator<=>(const Portal&) const = default;

  // "192.0.2.1:3260", "[2001:db8::1]:3260".
  std::string text() const;
};

// Checks what a caller sent: a literal IPv4 or IPv6 address or a host's name (RFC 1123), and a port
// from 1 to 65535 or 0 for 3260. INVALID_ARGUMENT for all else, which includes everything that a
// program might take for an option or a path. `operation` completes "cannot ...".
Result<Portal> parse_portal(std::string_view address, uint32_t port, std::string_view operation);

}  // namespace longshore::iscsi
