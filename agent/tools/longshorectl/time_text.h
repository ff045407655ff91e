// Times and durations for people.
#pragma once

#include <cstdint>
#include <string>

namespace longshore::ctl {

// "2d 3h", "4m 5s", "6.789s"
std::string duration_text(int64_t milliseconds);

// "850 µs", "1.25 ms", "3.50 s"
std::string short_time_text(int64_t microseconds);

// As in the log: "2026-11-21T04:31:35.123Z"
std::string time_text(int64_t unix_ms);

}  // namespace longshore::ctl
