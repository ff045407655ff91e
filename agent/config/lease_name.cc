#include "config/lease_name.h"

namespace longshore::config {

std::string sanitized_lease_name(std::string_view name) {
  std::string sanitized;
  for (const char c : name) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    // Upstream's has one for each character, which begins with another byte than these.
    const bool is_continued = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (!is_continued) sanitized += is_plain ? c : '-';
  }
  if (sanitized.ends_with('-')) sanitized += 'X';
  return sanitized;
}

}  // namespace longshore::config
