// The names of Linux' capabilities, as capabilities(7) has them.
#pragma once

#include <optional>
#include <string_view>

namespace longshore::config {

// 21 for "CAP_SYS_ADMIN".
std::optional<int> capability_number(std::string_view name);

}  // namespace longshore::config
