// A program of the build as a process of its own: its output in a file, what it holds, its end.
#pragma once

#include <windows.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "longshore/windows/handle.hpp"

namespace longshore::test {

// Where the program that runs lies, and the others of the build.
std::string folder_of_programs();

class StartedProgram {
 public:
  // Starts "longshored" with these words. Its output, and its errors, go to the file. Throws where
  // there is no such program.
  StartedProgram(const std::string& name, const std::vector<std::string>& words,
                 const std::string& output);
  // Ends it.
  ~StartedProgram();
  StartedProgram(StartedProgram&&) = default;
  StartedProgram& operator=(StartedProgram&&) = delete;

  DWORD id() const { return id_; }
  // Its exit code, once it has ended; waits so long for it.
  std::optional<int> exit_code(DWORD milliseconds = 0) const;
  void kill();

  size_t handles() const;
  // What it has in memory: Wine does not say how much of that is its own.
  size_t working_set() const;

 private:
  Handle process_;
  DWORD id_ = 0;
};

}  // namespace longshore::test
