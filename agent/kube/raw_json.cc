#include "kube/raw_json.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>

namespace longshore::kube {
namespace {

namespace json = boost::json;

// Objects of CustomResourceDefinitions are deep.
constexpr size_t kMostDepth = 200;

// Boost.JSON's parser with a handler that keeps nothing.
struct Grammar {
  static constexpr size_t max_array_size = static_cast<size_t>(-1);   // NOLINT(*-naming)
  static constexpr size_t max_object_size = static_cast<size_t>(-1);  // NOLINT(*-naming)
  static constexpr size_t max_string_size = static_cast<size_t>(-1);  // NOLINT(*-naming)
  static constexpr size_t max_key_size = static_cast<size_t>(-1);     // NOLINT(*-naming)
  using Code = json::error_code;
  using Text = json::string_view;

  static bool on_document_begin(Code&) { return true; }
  static bool on_document_end(Code&) { return true; }
  static bool on_array_begin(Code&) { return true; }
  static bool on_array_end(size_t, Code&) { return true; }
  static bool on_object_begin(Code&) { return true; }
  static bool on_object_end(size_t, Code&) { return true; }
  static bool on_string_part(Text, size_t, Code&) { return true; }
  static bool on_string(Text, size_t, Code&) { return true; }
  static bool on_key_part(Text, size_t, Code&) { return true; }
  static bool on_key(Text, size_t, Code&) { return true; }
  static bool on_number_part(Text, Code&) { return true; }
  static bool on_int64(int64_t, Text, Code&) { return true; }
  static bool on_uint64(uint64_t, Text, Code&) { return true; }
  static bool on_double(double, Text, Code&) { return true; }
  static bool on_bool(bool, Code&) { return true; }
  static bool on_null(Code&) { return true; }
  static bool on_comment_part(Text, Code&) { return true; }
  static bool on_comment(Text, Code&) { return true; }
};

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

size_t skip_blanks(std::string_view text, size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// Behind the string that begins there.
size_t end_of_string(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

size_t end_of_value(std::string_view text, size_t at) {
  if (text[at] == '"') return end_of_string(text, at);
  if (text[at] != '{' && text[at] != '[') {
    return std::min(text.find_first_of(",]} \t\r\n", at), text.size());
  }
  size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) break;
  }
  return at;
}

}  // namespace

bool is_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMostDepth;
  json::basic_parser<Grammar> parser(options);
  json::error_code error;
  const size_t size = parser.write_some(false, text.data(), text.size(), error);
  return !error && size == text.size();
}

std::vector<JsonMember> json_members(std::string_view object) {
  std::vector<JsonMember> members;
  size_t at = skip_blanks(object, 0);
  if (at == object.size() || object[at] != '{') return members;
  for (;;) {
    at = skip_blanks(object, at + 1);  // behind the brace or the comma
    if (at >= object.size() || object[at] != '"') return members;
    const size_t name_end = end_of_string(object, at);
    const std::string_view name = object.substr(at + 1, name_end - at - 2);
    at = skip_blanks(object, skip_blanks(object, name_end) + 1);  // behind the colon
    const size_t end = end_of_value(object, at);
    members.push_back({name, object.substr(at, end - at)});
    at = skip_blanks(object, end);
  }
}

std::string_view json_member(const std::vector<JsonMember>& members, std::string_view name) {
  const auto found = std::ranges::find(members, name, &JsonMember::name);
  return found == members.end() ? std::string_view() : found->value;
}

std::vector<std::string_view> json_elements(std::string_view array) {
  std::vector<std::string_view> elements;
  size_t at = skip_blanks(array, 0);
  if (at == array.size() || array[at] != '[') return elements;
  for (;;) {
    at = skip_blanks(array, at + 1);  // behind the bracket or the comma
    if (at >= array.size() || array[at] == ']') return elements;
    const size_t end = end_of_value(array, at);
    elements.push_back(array.substr(at, end - at));
    at = skip_blanks(array, end);
    if (at >= array.size() || array[at] == ']') return elements;
  }
}

std::optional<std::string> json_string(std::string_view value) {
  if (!value.starts_with('"')) return std::nullopt;
  // Most have no escapes.
  if (value.find('\\') == value.npos) return std::string(value.substr(1, value.size() - 2));
  json::error_code error;
  const json::value parsed = json::parse(value, error);
  const json::string* const text = error ? nullptr : parsed.if_string();
  if (text == nullptr) return std::nullopt;
  return std::string(text->data(), text->size());
}

void append_member_name(std::string& text, std::string_view name) {
  if (text.back() != '{') text += ',';
  text += '"';
  text += name;
  text += "\":";
}

void append_compact(std::string& text, std::string_view value) {
  for (size_t at = 0; at < value.size();) {
    at = skip_blanks(value, at);
    size_t end = at;
    while (end < value.size() && !is_blank(value[end])) {
      end = value[end] == '"' ? end_of_string(value, end) : end + 1;
    }
    text += value.substr(at, end - at);
    at = end;
  }
}

}  // namespace longshore::kube
