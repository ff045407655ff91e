// Bytes as lower-case hexadecimal digits: hashes, and what may be any bytes. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace longshore::text {

inline std::string hexadecimal(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<uint8_t>(byte) >> 4];
    text += kDigits[std::to_integer<uint8_t>(byte) & 15];
  }
  return text;
}

}  // namespace longshore::text
