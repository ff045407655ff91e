#include "process_usage.h"

#include <ctime>
#include <fstream>
#include <string>

namespace longshore::bench {

uint64_t processor_nanoseconds(pid_t process) {
  clockid_t clock;
  timespec time{};
  // Not the sum of /proc's threads: those that have ended used their share too.
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
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
