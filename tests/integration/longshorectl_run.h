// longshorectl as a program of a test's, with an agent for it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/program_run.h"

namespace longshore::test {

inline ProgramRun run_at(const std::string& socket, std::vector<std::string> words,
                         const std::string& input = {}) {
  words.insert(words.begin(), {built_program("longshorectl"), "--socket", socket});
  return run_program(std::move(words), input);
}

// An agent that serves, and the command against it.
struct Served {
  AgentDirectory directory;
  AgentProcess agent{directory};

  ProgramRun run(std::vector<std::string> words, const std::string& input = {}) const {
    return run_at(directory.control_socket(), std::move(words), input);
  }
  // The same in an environment with more variables ("NO_COLOR=1").
  ProgramRun run_with(std::vector<std::string> variables, std::vector<std::string> words) const {
    words.insert(words.begin(),
                 {built_program("longshorectl"), "--socket", directory.control_socket()});
    variables.insert(variables.begin(), "/usr/bin/env");
    variables.insert(variables.end(), words.begin(), words.end());
    return run_program(std::move(variables));
  }
};

inline const std::string kEcho = "longshore.echo.v1.Echo/";

}  // namespace longshore::test
