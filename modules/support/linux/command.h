// Runs a program to its end: no shell, an absolute path, an argument array, an empty environment.
//
// The program gets a session of its own, so that signals meant for the agent do not reach it, and
// no descriptor but those it is given.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::support {

struct CommandEnd {
  int exit_code = 0;      // 128 + the signal if one ended it
  std::string complaint;  // the end of what it wrote to standard error, at most 2 KiB, in one line
};

// Waits for the end; nothing cuts it short. `descriptors` are inherited under the numbers that they
// have here. An error only if the program could not be started.
Result<CommandEnd> run_command(const std::vector<std::string>& arguments,
                               const std::vector<int>& descriptors);

}  // namespace longshore::support
