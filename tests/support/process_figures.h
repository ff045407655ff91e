// What a process holds: for tests that nothing piles up.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace longshore::test {

// Sanitizers keep freed memory, and find leaks in their own way.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryTellsLeaks = false;
#else
inline constexpr bool kMemoryTellsLeaks = true;
#endif

inline size_t open_descriptors(pid_t process) {
  const std::filesystem::directory_iterator entries("/proc/" + std::to_string(process) + "/fd");
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

// Memory of its own that is in use, in KiB.
inline size_t own_memory_kib(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    size_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace longshore::test
