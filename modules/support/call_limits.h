// How long an operation may take and whether anybody still wants its answer.
//
// Everything in a backend that can block, or that takes many steps, gets one and looks at it
// between its steps; a step once begun is not cut short.
//
// Threads: a plain value; `cancelled` may be called on any thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "longshore/result.hpp"

namespace longshore::support {

struct CallLimits {
  using Clock = std::chrono::steady_clock;

  Clock::time_point deadline = Clock::time_point::max();
  // Empty: never cancelled.
  std::function<bool()> cancelled;

  // Why to stop now, or nothing. `operation` and `object` as in Error.
  std::optional<Error> exceeded(std::string operation, std::string object) const {
    if (cancelled && cancelled()) {
      return Error(StatusCode::kCancelled, std::move(operation), std::move(object))
          .because("nobody waits for the answer any more");
    }
    if (Clock::now() >= deadline) {
      return Error(StatusCode::kDeadlineExceeded, std::move(operation), std::move(object))
          .because("the time for it is over");
    }
    return std::nullopt;
  }
};

}  // namespace longshore::support
