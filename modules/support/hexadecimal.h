// Bytes as lower-case hexadecimal digits, as identifiers of disks and filesystems are written.
// Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace longshore::support {

inline std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xf];
  }
  return text;
}

}  // namespace longshore::support
