#include "observe/json_text.h"

#include <charconv>

#include "text/escape.h"

namespace longshore::observe {
namespace {

void append_quoted(std::string& json, std::string_view text) {
  json += '"';
  text::append_escaped(json, text, true);
  json += '"';
}

}  // namespace

void JsonText::text(std::string_view value) {
  begin_value();
  append_quoted(json_, value);
}

void JsonText::member(std::string_view key, std::string_view value) {
  name(key);
  text(value);
}

void JsonText::member(std::string_view key, uint64_t value) { raw(key, std::to_string(value)); }

void JsonText::member(std::string_view key, std::chrono::milliseconds value) {
  raw(key, std::to_string(value.count()));
}

void JsonText::flag(std::string_view key, bool value) { raw(key, value ? "true" : "false"); }

void JsonText::decimal(std::string_view key, double value, int digits) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed, digits);
  raw(key, {text, static_cast<size_t>(end.ptr - text)});
}

void JsonText::raw(std::string_view key, std::string_view json) {
  name(key);
  begin_value();
  json_ += json;
}

void JsonText::begin_value() {
  if (std::exchange(needs_comma_, true)) json_ += ',';
}

void JsonText::name(std::string_view key) {
  text(key);
  json_ += ':';
  needs_comma_ = false;
}

std::string quoted(std::string_view text) {
  std::string json;
  append_quoted(json, text);
  return json;
}

}  // namespace longshore::observe
