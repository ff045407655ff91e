// The limits of a call, for the code below that knows nothing of calls.
#pragma once

#include "longshore/context.hpp"
#include "support/call_limits.h"

namespace longshore::support {

inline CallLimits limits_of(const Context& context) {
  return {context.deadline(), [context] { return context.cancelled(); }};
}

}  // namespace longshore::support
