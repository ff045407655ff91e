// Runs a program to its end: no shell, an absolute path, an argument array, an empty environment.
//
// The program gets a session of its own, so that signals meant for the agent do not reach it, and
// no descriptor but those it is given. What it leaves running in the background is not waited for,
// even if that holds on to its output.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::support {

struct CommandOptions {
  // Inherited under the numbers that they have here.
  std::vector<int> descriptors = {};
  // When it is killed, with all that it started and that has not left its session.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  // How much of its standard output is kept, from the start; the rest is read and dropped.
  size_t output_limit = 0;
};

struct CommandEnd {
  int exit_code = 0;      // 128 + the signal if one ended it
  std::string complaint;  // the end of what it wrote to standard error, at most 2 KiB, in one line
  std::string output;     // the start of what it wrote to standard output
  bool was_killed = false;  // the deadline came before its end; `exit_code` is that of SIGKILL
};

// Waits for the end or the deadline. A program that does not even die within a second (the kernel
// holds it) is left behind. An error only if the program could not be started.
Result<CommandEnd> run_command(const std::vector<std::string>& arguments,
                               const CommandOptions& options = {});

}  // namespace longshore::support
