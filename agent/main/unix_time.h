// Moments as messages of longshore.admin.v1.Admin have them: milliseconds since 1970.
//
// Threads: any; plain functions.
#pragma once

#include <chrono>
#include <cstdint>

#include "router/timers.h"

namespace longshore {

inline int64_t unix_ms(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// The calendar's time of a moment of the steady clock.
inline int64_t unix_ms(router::Clock::time_point time) {
  const auto ago =
      std::chrono::duration_cast<std::chrono::system_clock::duration>(router::Clock::now() - time);
  return unix_ms(std::chrono::system_clock::now() - ago);
}

}  // namespace longshore
