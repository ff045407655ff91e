// Finds secrets in memory that is let go: a program with freed_memory.cc in it has an operator
// delete that looks before it frees. What malloc's own callers free is seen only in builds with
// sanitizers, which tell of each free.
//
// Threads: any may free; one FreedMemory at a time.
#pragma once

#include <cstddef>
#include <string>

namespace longshore::test {

class FreedMemory {
 public:
  // What it looks for, from now to its end.
  static constexpr char kSecret[] = "none shall find this";
  // So many bytes that are full of it.
  static std::string secret_of(size_t bytes);

  FreedMemory();
  ~FreedMemory();
  FreedMemory(const FreedMemory&) = delete;
  FreedMemory& operator=(const FreedMemory&) = delete;

  // How many pieces with a secret were freed.
  size_t found() const;
};

}  // namespace longshore::test
