#include "observe/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "observe/json_text.h"

namespace longshore::observe {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The length of the UTF-8 sequence at the start of `text`; 0 when there is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80                       ? 1
                        : byte(0) >= 0xc2 && byte(0) <= 0xdf ? 2
                        : byte(0) >= 0xe0 && byte(0) <= 0xef ? 3
                        : byte(0) >= 0xf0 && byte(0) <= 0xf4 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool outside = (byte(0) == 0xed && byte(1) > 0x9f) || (byte(0) == 0xf4 && byte(1) > 0x8f);
  return overlong || outside ? 0 : length;
}

// The code point of a well-formed sequence.
char32_t code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first;
  char32_t point = first & (0x7fu >> sequence.size());
  for (const char c : sequence.substr(1)) point = point << 6 | (static_cast<unsigned>(c) & 0x3f);
  return point;
}

// What could end a line, drive a terminal or turn the order of reading around.
bool is_dangerous(char32_t point) {
  const auto within = [point](char32_t first, char32_t last) {
    return point >= first && point <= last;
  };
  return point < 0x20 || within(0x7f, 0x9f) || within(0x200e, 0x200f) || within(0x2028, 0x202e) ||
         within(0x2066, 0x2069);
}

// How many bytes at the start stand in every line as they are: the most of nearly all texts.
size_t plain_length(std::string_view text, bool escape_quotes) {
  const auto is_plain = [escape_quotes](char c) {
    return c >= ' ' && c < '\x7f' && !(escape_quotes && (c == '"' || c == '\\'));
  };
  return static_cast<size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

}  // namespace

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

bool append_escaped(std::string& line, std::string_view text, bool escape_quotes) {
  bool escaped = false;
  while (true) {
    const size_t plain = plain_length(text, escape_quotes);
    line.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return escaped;
    const size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    text.remove_prefix(sequence.size());
    if (length == 0) {
      line += kReplacement;
      continue;
    }
    const char32_t point = code_point(sequence);
    if (point == '\n' || point == '\t') {
      line += point == '\n' ? "\\n" : "\\t";
      escaped = true;
    } else if (is_dangerous(point)) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<uint32_t>(point));
      escaped = true;
    } else if (escape_quotes && (point == '"' || point == '\\')) {
      line += '\\';
      line += sequence;
      escaped = true;
    } else {
      line += sequence;
    }
  }
}

namespace {

// A value of a text line: in quotes where its end, or an escape in it, could be misread.
void append_value(std::string& line, std::string_view value) {
  std::string written;
  const bool escaped = append_escaped(written, value, true);
  if (escaped || value.find_first_of(" =") != std::string_view::npos) {
    line += '"' + written + '"';
  } else {
    line += written;
  }
}

void append_said(std::string& line, std::string_view text, const Fields& fields) {
  append_escaped(line, text, false);
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

std::string escaped(std::string_view text) {
  std::string written;
  append_escaped(written, text, false);
  return written;
}

}  // namespace longshore::observe
