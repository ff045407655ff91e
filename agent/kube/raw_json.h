// JSON text by its parts, which stay as they are written: numbers of any size and members that
// nobody here knows go on unchanged.
//
// Threads: any; all is a function of its text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::kube {

// Whether it is one value, and nothing behind it. The functions below take such text alone.
bool is_json(std::string_view text);

struct JsonMember {
  std::string_view name;  // between the quotes, as it is written
  std::string_view value;
};
// Of another value than an object: none.
std::vector<JsonMember> json_members(std::string_view object);
// Empty: there is no such member.
std::string_view json_member(const std::vector<JsonMember>& members, std::string_view name);
// Of another value than an array: none.
std::vector<std::string_view> json_elements(std::string_view array);
// What a string says; nothing of another value.
std::optional<std::string> json_string(std::string_view value);

// Of the next member, with the comma before it, to an object that begins with its brace.
void append_member_name(std::string& text, std::string_view name);
// Appends it without blanks between its parts.
void append_compact(std::string& text, std::string_view value);

}  // namespace longshore::kube
