#include "observe/crash_records.h"

#include <sstream>

namespace longshore::observe {

std::string CrashRecord::field(std::string_view key) const {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key) && line.substr(key.size()).starts_with(": ")) {
      return line.substr(key.size() + 2);
    }
  }
  return {};
}

}  // namespace longshore::observe
