// Decides from what a file says of itself whether this agent can and may load it.
#pragma once

#include "loader/image_facts.h"
#include "longshore/result.hpp"

namespace longshore::loader {

// Magic, versions, exports and imports. The error says what does not fit and what to do.
Result<void> check_loadable(const ImageFacts& facts);

}  // namespace longshore::loader
