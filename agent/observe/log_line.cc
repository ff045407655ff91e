#include "observe/log_line.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace longshore::observe {
namespace {

std::string timestamp(WallClock::time_point time) {
  const auto since_epoch = time.time_since_epoch();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(WallClock::to_time_t(time)),
                     milliseconds);
}

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

// JSON's escapes, which people can read too. Bytes over 0x7f stay: UTF-8 as it came.
void append_escaped(std::string& line, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (is_control(static_cast<unsigned char>(c))) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
}

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

// JSON must be UTF-8; a path need not be.
std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    valid += length == 0 ? "\xef\xbf\xbd" : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return valid;
}

bool needs_quotes(std::string_view value) {
  return std::any_of(value.begin(), value.end(), [](unsigned char c) {
    return is_control(c) || c == ' ' || c == '"' || c == '=' || c == '\\';
  });
}

}  // namespace

std::string text_line(WallClock::time_point time, Level level, std::string_view text,
                      const Fields& fields) {
  static constexpr std::string_view kNames[] = {"DEBUG", "INFO ", "WARN ", "ERROR"};
  std::string line = timestamp(time);
  line += ' ';
  line += kNames[static_cast<int>(level) - 1];
  line += ' ';
  append_escaped(line, text);
  for (const Field& field : fields) {
    if (field.value.empty()) continue;
    line += ' ';
    line += field.key;
    line += '=';
    const bool quoted = needs_quotes(field.value);
    if (quoted) line += '"';
    append_escaped(line, field.value);
    if (quoted) line += '"';
  }
  return line;
}

std::string json_line(WallClock::time_point time, Level level, std::string_view text,
                      const Fields& fields) {
  std::string line = "{\"time\":\"" + timestamp(time) + "\",\"level\":\"";
  line += name_of(level);
  line += "\",\"message\":\"";
  append_escaped(line, valid_utf8(text));
  line += '"';
  for (const Field& field : fields) {
    if (field.value.empty()) continue;
    line += ",\"";
    line += field.key;
    line += "\":\"";
    append_escaped(line, valid_utf8(field.value));
    line += '"';
  }
  line += '}';
  return line;
}

}  // namespace longshore::observe
