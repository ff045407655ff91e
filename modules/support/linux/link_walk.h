// Where a path leads when the links on its way are followed, as far as that can be told without
// asking what may hang.
//
// Threads: any.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "support/bulkhead.h"

namespace longshore::support {

// Whether the directory or link of this path, which no link leads to, may be looked at.
using MayLookAt = std::function<bool(std::string_view)>;

// The path that is left when the walk ends: at its end, where something is missing, after as many
// links as the kernel follows, or at what may not be looked at. What is behind that is taken by its
// names alone. The path itself, by its names, may be looked at.
std::string follow_links(std::string_view path, LastLink last, const MayLookAt& may_look_at);

}  // namespace longshore::support
