// The answer of a method that has nothing to say but that it succeeded.
#pragma once

#include "longshore/result.hpp"

namespace longshore::support {

// An empty `Response`, or why there is none.
template <typename Response>
Result<Response> empty_or(const Result<void>& result) {
  if (!result) return result.error();
  return Response();
}

}  // namespace longshore::support
