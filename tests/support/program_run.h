// A program run by a test from start to end: argument array, input, and all that it says.
#pragma once

#include <string>
#include <vector>

namespace longshore::test {

struct ProgramRun {
  int exit_code = -1;  // 128 plus the number when a signal ended it
  std::string output;
  std::string errors;
};

// Throws when it cannot be started.
ProgramRun run_program(const std::vector<std::string>& command, const std::string& input = {});

}  // namespace longshore::test
