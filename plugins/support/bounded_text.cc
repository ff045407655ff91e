#include "support/bounded_text.h"

#include <cstdint>

namespace longshore::plugins {
namespace {

// Of the character of UTF-8 at the beginning; 0: there is none.
size_t character_size(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  const bool is_longer_than_needed =
      (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_surrogate = first == 0xed && second > 0x9f;
  const bool is_beyond_unicode = first == 0xf4 && second > 0x8f;
  return is_longer_than_needed || is_surrogate || is_beyond_unicode ? 0 : size;
}

}  // namespace

std::string bounded_text(std::string_view text, size_t most) {
  std::string bounded;
  while (!text.empty()) {
    const size_t size = character_size(text);
    const std::string_view next = size == 0 ? "?" : text.substr(0, size);
    if (bounded.size() + next.size() > most) break;
    bounded += next;
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return bounded;
}

}  // namespace longshore::plugins
