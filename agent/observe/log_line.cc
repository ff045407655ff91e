#include "observe/log_line.h"

#include <fmt/format.h>

#include "observe/json_text.h"
#include "text/escape.h"

namespace longshore::observe {
// By the calendar of <chrono>: Windows' gmtime fails for times before 1970, which a clock may show.
std::string timestamp(WallClock::time_point time) {
  const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(milliseconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(milliseconds - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

namespace {

// A value of a text line: in quotes where its end, or an escape in it, could be misread.
void append_value(std::string& line, std::string_view value) {
  std::string written;
  const bool escaped = text::append_escaped(written, value, true);
  if (escaped || value.find_first_of(" =") != std::string_view::npos) {
    line += '"' + written + '"';
  } else {
    line += written;
  }
}

void append_said(std::string& line, std::string_view text, const Fields& fields) {
  text::append_escaped(line, text, false);
  for (const Field& field : fields) {
    if (field.value.empty()) continue;
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
}

}  // namespace

std::string text_line(WallClock::time_point time, Level level, std::string_view text,
                      const Fields& fields) {
  static constexpr std::string_view kNames[] = {"DEBUG", "INFO ", "WARN ", "ERROR"};
  std::string line = timestamp(time);
  line += ' ';
  line += kNames[static_cast<int>(level) - 1];
  line += ' ';
  append_said(line, text, fields);
  return line;
}

std::string journal_line(Level level, std::string_view text, const Fields& fields) {
  static constexpr std::string_view kSeverities[] = {"<7>", "<6>", "<4>", "<3>"};  // of syslog
  std::string line(kSeverities[static_cast<int>(level) - 1]);
  append_said(line, text, fields);
  return line;
}

std::string json_line(WallClock::time_point time, Level level, std::string_view text,
                      const Fields& fields) {
  JsonText json;
  json.object([&] {
    json.member("time", timestamp(time));
    json.member("level", name_of(level));
    json.member("message", text);
    for (const Field& field : fields) {
      if (!field.value.empty()) json.member(field.key, field.value);
    }
  });
  return json.take();
}

}  // namespace longshore::observe
