#include "tools/longshorectl/time_text.h"

#include <chrono>
#include <cstdio>

namespace longshore::ctl {
namespace {

// For numbers alone, which always fit.
template <typename... Numbers>
std::string formatted(const char* format, Numbers... numbers) {
  char text[64];
  std::snprintf(text, sizeof(text), format, numbers...);
  return text;
}

}  // namespace

std::string duration_text(int64_t milliseconds) {
  const int64_t seconds = milliseconds / 1000;
  const auto pair = [](int64_t large, const char* unit, int64_t small, const char* small_unit) {
    return std::to_string(large) + unit + " " + std::to_string(small) + small_unit;
  };
  if (seconds >= 86400) return pair(seconds / 86400, "d", seconds % 86400 / 3600, "h");
  if (seconds >= 3600) return pair(seconds / 3600, "h", seconds % 3600 / 60, "m");
  if (seconds >= 60) return pair(seconds / 60, "m", seconds % 60, "s");
  const std::string thousandths = std::to_string(1000 + milliseconds % 1000).substr(1);
  return std::to_string(seconds) + "." + thousandths + "s";
}

std::string short_time_text(int64_t microseconds) {
  if (microseconds < 1000) return std::to_string(microseconds) + " µs";
  const double milliseconds = static_cast<double>(microseconds) / 1000;
  if (milliseconds < 1000) return formatted("%.2f ms", milliseconds);
  return formatted("%.2f s", milliseconds / 1000);
}

std::string time_text(int64_t unix_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds(unix_ms)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss<milliseconds> clock(time - day);
  return formatted(
      "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
}

}  // namespace longshore::ctl
