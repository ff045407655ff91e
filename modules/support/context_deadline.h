// The deadline of a call, for the code below that knows nothing of calls.
#pragma once

#include "longshore/context.hpp"
#include "support/deadline.h"

namespace longshore::support {

inline Deadline deadline_of(const Context& context) {
  return {context.deadline(), [context] { return context.cancelled(); }};
}

}  // namespace longshore::support
