#include "support/windows/guid_text.h"

#include <array>
#include <cstdint>

#include "support/ascii.h"

namespace longshore::support {
namespace {

constexpr std::string_view kPattern = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
constexpr std::string_view kVolume = "\\\\?\\volume{";
constexpr size_t kGuidBytes = 16;

// As they stand in the text, which is not how they lie in memory.
std::array<uint8_t, kGuidBytes> bytes_of_text(const Guid& guid) {
  std::array<uint8_t, kGuidBytes> bytes{};
  for (size_t i = 0; i < 4; ++i) bytes[i] = static_cast<uint8_t>(guid.data1 >> (24 - 8 * i));
  for (size_t i = 0; i < 2; ++i) {
    bytes[4 + i] = static_cast<uint8_t>(guid.data2 >> (8 - 8 * i));
    bytes[6 + i] = static_cast<uint8_t>(guid.data3 >> (8 - 8 * i));
  }
  for (size_t i = 0; i < 8; ++i) bytes[8 + i] = guid.data4[i];
  return bytes;
}

Guid guid_of_bytes(const std::array<uint8_t, kGuidBytes>& bytes) {
  Guid guid{};
  for (size_t i = 0; i < 4; ++i) guid.data1 = guid.data1 << 8 | bytes[i];
  for (size_t i = 0; i < 2; ++i) {
    guid.data2 = static_cast<uint16_t>(guid.data2 << 8 | bytes[4 + i]);
    guid.data3 = static_cast<uint16_t>(guid.data3 << 8 | bytes[6 + i]);
  }
  for (size_t i = 0; i < 8; ++i) guid.data4[i] = bytes[8 + i];
  return guid;
}

uint8_t value_of(char digit) {
  if (is_digit(digit)) return static_cast<uint8_t>(digit - '0');
  return static_cast<uint8_t>(to_upper(digit) - 'A' + 10);
}

}  // namespace

std::string guid_text(const Guid& guid) {
  constexpr const char* kDigits = "0123456789abcdef";
  const auto bytes = bytes_of_text(guid);
  std::string text(kPattern);
  size_t digit = 0;
  for (char& c : text) {
    if (c == '-') continue;
    const uint8_t byte = bytes[digit / 2];
    c = kDigits[digit % 2 == 0 ? byte >> 4 : byte & 0xf];
    ++digit;
  }
  return text;
}

std::optional<Guid> parse_guid(std::string_view text) {
  if (text.size() != kPattern.size()) return std::nullopt;
  std::array<uint8_t, kGuidBytes> bytes{};
  size_t digit = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kPattern[i] == '-') {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    if (!is_hexadecimal(text[i])) return std::nullopt;
    uint8_t& byte = bytes[digit / 2];
    byte = static_cast<uint8_t>(byte << 4 | value_of(text[i]));
    ++digit;
  }
  return guid_of_bytes(bytes);
}

std::optional<Guid> guid_of_volume(std::string_view id) {
  if (id.ends_with('\\')) id.remove_suffix(1);
  if (id.size() != kVolume.size() + kPattern.size() + 1 || !id.ends_with('}') ||
      lower_case(id.substr(0, kVolume.size())) != kVolume) {
    return std::nullopt;
  }
  return parse_guid(id.substr(kVolume.size(), kPattern.size()));
}

bool is_same_volume(std::string_view left, std::string_view right) {
  const auto guid = guid_of_volume(left);
  return guid && guid_of_volume(right) == guid;
}

std::string volume_id(const Guid& guid) { return "\\\\?\\Volume{" + guid_text(guid) + "}\\"; }

}  // namespace longshore::support
