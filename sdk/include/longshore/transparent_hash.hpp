// Lets a map with std::string keys be searched by std::string_view without making a string of it.
#pragma once

#include <functional>
#include <string_view>

namespace longshore {

struct TransparentHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace longshore
