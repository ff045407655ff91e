// JSON as it is, with other blanks between its parts: numbers and texts keep the form that they
// have, which a parser and a writer would change.
//
// Threads: any. What is not JSON gives some text, and no harm.
#pragma once

#include <string>
#include <string_view>

namespace longshore::ctl {

// A member a line, two blanks for each level.
std::string indented_json(std::string_view json);

// On one line.
std::string compact_json(std::string_view json);

}  // namespace longshore::ctl
