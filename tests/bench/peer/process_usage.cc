#include "process_usage.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace longshore::bench {

uint64_t processor_nanoseconds(pid_t process) {
  uint64_t sum = 0;
  std::error_code error;
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    uint64_t nanoseconds = 0;
    std::ifstream(task.path() / "schedstat") >> nanoseconds;
    sum += nanoseconds;
  }
  return sum;
}

uint64_t pss_kib(pid_t process) {
  std::ifstream rollup("/proc/" + std::to_string(process) + "/smaps_rollup");
  std::string word;
  uint64_t kib = 0;
  while (rollup >> word) {
    if (word == "Pss:") {
      rollup >> kib;
      break;
    }
  }
  return kib;
}

}  // namespace longshore::bench
