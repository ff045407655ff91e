// What a process holds: for tests that nothing piles up.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

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

// The processes that it has started and that have not been waited for.
inline std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
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

struct MemoryFigures {
  size_t resident_kib = 0;
  size_t proportional_kib = 0;  // what it shares counts in parts: PSS
};

inline MemoryFigures memory_of(pid_t process) {
  MemoryFigures figures;
  std::ifstream file("/proc/" + std::to_string(process) + "/smaps_rollup");
  for (std::string word; file >> word;) {
    if (word == "Rss:") file >> figures.resident_kib;
    if (word == "Pss:") file >> figures.proportional_kib;
  }
  return figures;
}

}  // namespace longshore::test
