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
// For systemd's journal, which has the time: the severity is its "<6>".
std::string journal_line(Level level, std::string_view text, const Fields& fields);
std::string json_line(WallClock::time_point time, Level level, std::string_view text,
                      const Fields& fields);

// Of these, and of other texts that programs and people read: "2026-11-21T04:31:35.123Z"
std::string timestamp(WallClock::time_point time);

}  // namespace longshore::observe
