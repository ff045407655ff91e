#include "support/disk_number.h"

#include <algorithm>
#include <charconv>

namespace longshore::support {

std::string quotable(std::string_view text) {
  constexpr size_t kShown = 32;
  std::string shown(text.substr(0, kShown));
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  if (text.size() > kShown) shown += "...";
  return shown;
}

Result<uint32_t> parse_disk_number(std::string_view text, const std::string& complaint) {
  uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) return number;
  return Error(StatusCode::kInvalidArgument, "read the disk number", quotable(text))
      .because(complaint + ": it is not a decimal number from 0 to 4294967295");
}

}  // namespace longshore::support
