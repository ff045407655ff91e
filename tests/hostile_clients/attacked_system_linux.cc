#include <signal.h>
#include <time.h>

#include <sstream>
#include <string>

#include "tests/hostile_clients/attacked_system.h"
#include "tests/support/process_status.h"

namespace longshore::hostile_clients {

// PSS without what is mapped from files. That part of it changes when another test starts an agent
// or ends one.
size_t own_bytes(ProcessId process) {
  std::istringstream text(test::proc_text(process, "smaps_rollup"));
  size_t total = 0;
  for (std::string word; text >> word;) {
    size_t kib = 0;
    if ((word == "Pss_Anon:" || word == "Pss_Shmem:") && text >> kib) total += kib * 1024;
  }
  return total;
}

double processor_seconds(ProcessId process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

size_t open_handles(ProcessId process) {
  try {
    return test::open_descriptors(process);
  } catch (const std::filesystem::filesystem_error&) {
    return 0;  // it has ended
  }
}

std::vector<ProcessId> children_of(ProcessId process) {
  try {
    return test::children_of(process);
  } catch (const std::filesystem::filesystem_error&) {
    return {};  // it has ended
  }
}

void suspend(ProcessId process) { kill(process, SIGSTOP); }

void resume(ProcessId process) { kill(process, SIGCONT); }

const char* lacks(Need) { return ""; }

}  // namespace longshore::hostile_clients
