#include "support/windows/pointed_answer.h"

#include <algorithm>

namespace longshore::support {
namespace {

bool is_high_surrogate(char16_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low_surrogate(char16_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

void append(std::string& text, char32_t character) {
  const auto byte = [&](char32_t bits) { text += static_cast<char>(bits); };
  const auto following = [&](int shift) { byte(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) return byte(character);
  if (character < 0x800) {
    byte(0xc0 | character >> 6);
    return following(0);
  }
  if (character < 0x10000) {
    byte(0xe0 | character >> 12);
  } else {
    byte(0xf0 | character >> 18);
    following(12);
  }
  following(6);
  following(0);
}

}  // namespace

std::string utf8_of(std::u16string_view text) {
  constexpr char32_t kReplacement = 0xfffd;
  std::string utf8;
  for (size_t i = 0; i < text.size(); ++i) {
    char32_t character = text[i];
    if (is_high_surrogate(text[i]) && i + 1 < text.size() && is_low_surrogate(text[i + 1])) {
      character = 0x10000 + ((character - 0xd800) << 10) + (text[++i] - 0xdc00u);
    } else if (is_high_surrogate(text[i]) || is_low_surrogate(text[i])) {
      character = kReplacement;
    }
    append(utf8, character);
  }
  return utf8;
}

std::optional<std::string> PointedAnswer::text(uint64_t address, size_t most_units) const {
  const auto offset = offset_of(address, alignof(char16_t));
  if (!offset) return std::nullopt;
  const size_t room = std::min((bytes_.size() - *offset) / sizeof(char16_t), most_units);
  std::u16string units;
  for (size_t i = 0; i < room; ++i) {
    char16_t unit = 0;
    std::memcpy(&unit, bytes_.data() + *offset + i * sizeof(unit), sizeof(unit));
    if (unit == u'\0') return utf8_of(units);
    units += unit;
  }
  return std::nullopt;
}

}  // namespace longshore::support
