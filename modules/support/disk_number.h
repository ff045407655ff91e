// The disk number in requests of csi-proxy's older versions, which write it as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore::support {

// The beginning of what a caller sent, fit for an error: printable, at most 32 characters.
std::string quotable(std::string_view text);

// Decimal digits and nothing else, up to 2^32-1. csi-proxy cuts larger numbers off and acts on
// another disk; here they are INVALID_ARGUMENT. `complaint` is what csi-proxy says of such a text.
Result<uint32_t> parse_disk_number(std::string_view text, const std::string& complaint);

}  // namespace longshore::support
