// Runs longshored, which is installed with longshorectl, for what only the agent's own code can do.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::ctl {

struct ProgramEnd {
  int exit_code = 0;
  std::string output;
  std::string errors;
};

// Starts it with these arguments, an empty environment and `input` as its standard input, and waits
// for its end.
Result<ProgramEnd> run_agent_program(const std::vector<std::string>& arguments,
                                     const std::string& input);

}  // namespace longshore::ctl
