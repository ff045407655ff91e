// Literal IP addresses, and the one way to write each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace longshore::iscsi {

// "2001:db8::1" for "2001:DB8:0::1". Nothing if the text is no IPv4 or IPv6 address. An IPv4
// address in IPv6's clothes stays IPv6; one with a zone ("fe80::1%eth0") is none.
std::optional<std::string> canonical_ip_address(std::string_view text);

}  // namespace longshore::iscsi
