// What a volume holds that Windows knows nothing of.
//
// Windows says of a disk of another system that it is not formatted, and formatting destroys it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace longshore::volume {

// So much of a volume's start has every signature that is looked for.
constexpr size_t kSignatureBytes = 72 << 10;

// "ext4", "xfs", ...: by its signature; nothing if there is none.
std::optional<std::string> foreign_content(std::string_view start);

}  // namespace longshore::volume
