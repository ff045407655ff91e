// What the code of a CSI driver's error says of the call, and the error in people's words.
//
// Threads: any; plain functions.
#pragma once

#include "longshore/result.hpp"

namespace longshore::plugins {

// Whether the driver may still be at it, or may have done it: the error is not final.
inline bool may_still_run(StatusCode code) {
  return code == StatusCode::kCancelled || code == StatusCode::kDeadlineExceeded ||
         code == StatusCode::kUnavailable || code == StatusCode::kAborted ||
         code == StatusCode::kResourceExhausted;
}

// With the code's name before the driver's text, as "INTERNAL: no backend": for what people read,
// which has a text and no code.
inline Error with_code_name(const Error& error) {
  return Error::of_text(error.code(), status_code_name(error.code()) + ": " + error.message());
}

}  // namespace longshore::plugins
