#include "tools/longshorectl/indented_json.h"

#include <cstddef>

namespace longshore::ctl {
namespace {

// The string that begins at `at`, with its quotes.
std::string_view string_at(std::string_view json, size_t at) {
  size_t end = at + 1;
  while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
  return json.substr(at, end + 1 - at);
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

std::string compact_json(std::string_view json) {
  std::string text;
  for (size_t i = 0; i < json.size(); ++i) {
    if (is_blank(json[i])) continue;
    const std::string_view part = json[i] == '"' ? string_at(json, i) : json.substr(i, 1);
    text += part;
    i += part.size() - 1;
  }
  return text;
}

std::string indented_json(std::string_view json) {
  const std::string compact = compact_json(json);
  std::string text;
  size_t level = 0;
  const auto begin_line = [&] { text.append("\n").append(2 * level, ' '); };
  for (size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    if (c == '"') {
      const std::string_view string = string_at(compact, i);
      text += string;
      i += string.size() - 1;
    } else if (c == '{' || c == '[') {
      text += c;
      const bool is_empty = i + 1 < compact.size() && compact[i + 1] == c + 2;
      if (is_empty) {
        text += compact[++i];
      } else {
        ++level;
        begin_line();
      }
    } else if (c == '}' || c == ']') {
      if (level > 0) --level;
      begin_line();
      text += c;
    } else {
      text += c;
      if (c == ',') begin_line();
      if (c == ':') text += ' ';
    }
  }
  return text;
}

}  // namespace longshore::ctl
