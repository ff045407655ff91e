// Until when an operation may take, and whether anybody still wants its result.
//
// Everything in a backend that can block, or that takes many steps, gets one and looks at it
// between its steps; a step once begun is not cut short.
//
// Threads: a plain value; `cancelled` may be called on any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "longshore/context.hpp"
#include "longshore/result.hpp"

namespace longshore {

struct Deadline {
  using Clock = std::chrono::steady_clock;

  Clock::time_point time = Clock::time_point::max();
  // Empty: never cancelled.
  std::function<bool()> cancelled;

  // The same, but no longer than this from now on.
  Deadline within(Clock::duration duration) const {
    return {std::min(time, Clock::now() + duration), cancelled};
  }

  // Why to stop now, or nothing. `operation` and `object` as in Error.
  std::optional<Error> exceeded(std::string operation, std::string object) const {
    if (cancelled && cancelled()) {
      return Error(StatusCode::kCancelled, std::move(operation), std::move(object))
          .because("nobody waits for the answer any more");
    }
    if (Clock::now() >= time) {
      return Error(StatusCode::kDeadlineExceeded, std::move(operation), std::move(object))
          .because("the time for it is over");
    }
    return std::nullopt;
  }

  // Waits until `is_over`, which `lock` guards and `changed` tells of; or why it waits no longer.
  template <typename Condition>
  std::optional<Error> await(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                             const std::string& operation, const Condition& is_over) const {
    constexpr std::chrono::milliseconds kPollInterval{100};  // how often `cancelled` is asked
    for (;;) {
      const auto next_poll = std::min(time, Clock::now() + kPollInterval);
      if (changed.wait_until(lock, next_poll, is_over)) return std::nullopt;
      lock.unlock();  // `cancelled` is foreign code
      std::optional<Error> why = exceeded(operation, {});
      lock.lock();
      if (is_over()) return std::nullopt;
      if (why) return why;
    }
  }
};

// The deadline of a call, for the code below that knows nothing of calls.
inline Deadline deadline_of(const Context& context) {
  return {context.deadline(), [context] { return context.cancelled(); }};
}

}  // namespace longshore
