// The text of log lines. Apart from log.cc so that it can be tested without a sink.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "observe/log.h"

namespace longshore::observe {

using WallClock = std::chrono::system_clock;

// Without a line end.
std::string text_line(WallClock::time_point time, Level level, std::string_view text,
                      const Fields& fields);
std::string json_line(WallClock::time_point time, Level level, std::string_view text,
                      const Fields& fields);

}  // namespace longshore::observe
