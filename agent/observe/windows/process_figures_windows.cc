#include <windows.h>
// windows.h comes before it.
#include <psapi.h>

#include "observe/process_figures.h"

namespace longshore::observe {
namespace {

// Windows counts steps of 100 ns, since 1601.
constexpr double kStepsPerSecond = 1e7;
constexpr double kSecondsUntil1970 = 11'644'473'600.0;

double seconds_of(const FILETIME& time) {
  return static_cast<double>((uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime) /
         kStepsPerSecond;
}

}  // namespace

ProcessFigures process_figures() {
  ProcessFigures figures;
  const HANDLE self = GetCurrentProcess();
  FILETIME begin{}, end{}, kernel{}, user{};
  if (GetProcessTimes(self, &begin, &end, &kernel, &user)) {
    figures.cpu_seconds = seconds_of(kernel) + seconds_of(user);
    figures.start_time_seconds = seconds_of(begin) - kSecondsUntil1970;
  }
  PROCESS_MEMORY_COUNTERS_EX memory{};
  if (GetProcessMemoryInfo(self, reinterpret_cast<PROCESS_MEMORY_COUNTERS*>(&memory),
                           sizeof(memory))) {
    figures.resident_bytes = memory.WorkingSetSize;
    figures.virtual_bytes = memory.PrivateUsage;
  }
  DWORD handles = 0;
  if (GetProcessHandleCount(self, &handles)) figures.open_descriptors = handles;
  return figures;
}

}  // namespace longshore::observe
