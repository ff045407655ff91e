// What a line of the log is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longshore::observe {

// The numbers are those of longshore_log_level in abi.h.
enum class Level { kDebug = 1, kInfo = 2, kWarning = 3, kError = 4 };

// "debug", "info", "warning", "error".
std::string_view name_of(Level level);

// The nearest level of a number that a module passed.
inline Level level_of(int number) {
  return static_cast<Level>(number < 1 ? 1 : number > 4 ? 4 : number);
}

struct Field {
  Field(std::string_view name, std::string_view text) : key(name), value(text) {}
  std::string_view key;  // a literal
  std::string value;     // left out of the line when empty
};
using Fields = std::vector<Field>;

}  // namespace longshore::observe
