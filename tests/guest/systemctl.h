// The guest's service manager, as its programs tell and change it.
#pragma once

#include <string>
#include <vector>

#include "tests/support/program_run.h"

namespace longshore::test {

inline ProgramRun systemctl(std::vector<std::string> words) {
  words.insert(words.begin(), "/usr/bin/systemctl");
  return run_program(words);
}

// "ActiveState" of a unit.
inline std::string unit_property(const std::string& unit, const std::string& name) {
  std::string value = systemctl({"show", "--value", "--property=" + name, unit}).output;
  if (value.ends_with('\n')) value.pop_back();
  return value;
}

}  // namespace longshore::test
