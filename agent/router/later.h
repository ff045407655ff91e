// A time that is some while after another, however long that is.
#pragma once

#include <chrono>

#include "router/timers.h"

namespace longshore::router {

// A client may ask for centuries; the clock cannot count that far.
inline Clock::time_point later(Clock::time_point begin, std::chrono::nanoseconds time) {
  return time < Clock::time_point::max() - begin ? begin + time : Clock::time_point::max();
}

}  // namespace longshore::router
