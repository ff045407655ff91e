// What a caller sent as a path, fit to be quoted in an error.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace longshore::support {

// Hostile input is neither cut in the middle by a NUL nor repeated at length.
inline std::string quotable_path(std::string_view text) {
  constexpr size_t kShown = 256;
  std::string shown(text.substr(0, kShown));
  if (text.size() > kShown) shown += "...";
  std::replace(shown.begin(), shown.end(), '\0', '?');
  return shown;
}

}  // namespace longshore::support
