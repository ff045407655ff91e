// A text for a field of Kubernetes' that has a limit: beyond it the whole write is refused.
//
// Threads: any; a plain function.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longshore::plugins {

// At most `most` bytes, cut between two characters. A byte that is no UTF-8 becomes '?': the server
// would put three bytes in its place.
std::string bounded_text(std::string_view text, size_t most);

}  // namespace longshore::plugins
