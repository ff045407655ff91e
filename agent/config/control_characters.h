// Whether a text has what no path or name of the configuration may have.
#pragma once

#include <algorithm>
#include <string_view>

namespace longshore::config {

inline bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace longshore::config
