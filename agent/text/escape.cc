#include "text/escape.h"

#include <algorithm>
#include <cstdint>

namespace longshore::text {
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

// How many bytes at the start stand in every line as they are: the most of nearly all texts.
size_t plain_length(std::string_view text, bool escape_quotes) {
  const auto is_plain = [escape_quotes](char c) {
    return c >= ' ' && c < '\x7f' && !(escape_quotes && (c == '"' || c == '\\'));
  };
  return static_cast<size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

void append_code(std::string& line, char32_t point) {
  constexpr std::string_view kHex = "0123456789abcdef";
  line += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) line += kHex[point >> shift & 15];
}

}  // namespace

bool is_dangerous(char32_t code_point) {
  const auto within = [code_point](char32_t first, char32_t last) {
    return code_point >= first && code_point <= last;
  };
  return code_point < 0x20 || within(0x7f, 0x9f) || code_point == 0x061c ||
         within(0x200e, 0x200f) || within(0x2028, 0x202e) || within(0x2066, 0x2069);
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
      append_code(line, point);
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

std::string escaped(std::string_view text) {
  std::string written;
  append_escaped(written, text, false);
  return written;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    valid += length == 0 ? kReplacement : sequence;
    text.remove_prefix(sequence.size());
  }
  return valid;
}

std::string escaped_lines(std::string_view text) {
  std::string lines;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    append_escaped(lines, text.substr(0, end), false);
    if (end == text.size()) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace longshore::text
