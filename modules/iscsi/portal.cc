#include "iscsi/portal.h"

#include <algorithm>
#include <limits>

#include "iscsi/ip_address.h"
#include "support/ascii.h"
#include "support/disk_number.h"

namespace longshore::iscsi {
namespace {

using support::is_digit;
using support::is_letter;

bool is_label(std::string_view label) {
  constexpr size_t kLongest = 63;
  return !label.empty() && label.size() <= kLongest && label.front() != '-' &&
         label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool is_host_name(std::string_view name) {
  constexpr size_t kLongest = 253;
  if (name.empty() || name.size() > kLongest) return false;
  std::string_view last;
  while (!name.empty() || last.empty()) {
    const size_t dot = std::min(name.find('.'), name.size());
    last = name.substr(0, dot);
    if (!is_label(last)) return false;
    if (dot == name.size()) break;
    name.remove_prefix(dot + 1);
    if (name.empty()) return false;
  }
  // What ends in a number is an address with a mistake in it, such as 192.0.2.256.
  return !std::ranges::all_of(last, is_digit);
}

}  // namespace

std::string Portal::text() const {
  const bool is_ipv6 = address.find(':') != address.npos;
  return (is_ipv6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

Result<Portal> parse_portal(std::string_view address, uint32_t port, std::string_view operation) {
  const auto refused = [&](std::string cause) {
    return Error(StatusCode::kInvalidArgument, std::string(operation), support::quotable(address))
        .because(std::move(cause));
  };
  if (port > std::numeric_limits<uint16_t>::max()) {
    return refused("the port " + std::to_string(port) + " is more than 65535");
  }
  const auto number = port == 0 ? kDefaultPort : static_cast<uint16_t>(port);
  if (address.empty()) return refused("the portal has no address");
  if (auto literal = canonical_ip_address(address)) return Portal{*std::move(literal), number};
  if (!is_host_name(address)) {
    return refused("it is no IPv4 or IPv6 address and no host's name")
        .advise("write the address alone; the port has a field of its own");
  }
  return Portal{support::lower_case(address), number};
}

}  // namespace longshore::iscsi
