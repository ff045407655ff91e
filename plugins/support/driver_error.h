// What the code of a CSI driver's error says of the call.
//
// Threads: any; a plain function.
#pragma once

#include "longshore/result.hpp"

namespace longshore::plugins {

// Whether the driver may still be at it, or may have done it: the error is not final.
inline bool may_still_run(StatusCode code) {
  return code == StatusCode::kCancelled || code == StatusCode::kDeadlineExceeded ||
         code == StatusCode::kUnavailable || code == StatusCode::kAborted ||
         code == StatusCode::kResourceExhausted;
}

}  // namespace longshore::plugins
