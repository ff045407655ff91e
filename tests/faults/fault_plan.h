// Which calls of an agent fail. The test that started it writes the plan, and the library
// test_failing_calls, which is loaded into the agent before all others (LD_PRELOAD), follows it.
//
// It lies in a file that both have mapped, so that it can be changed while the agent runs.
// Threads: any, and both processes.
#pragma once

#include <atomic>
#include <cstdint>

namespace longshore::test {

// Names the file with the plan.
inline constexpr const char* kFaultPlanVariable = "LONGSHORE_TEST_FAULT_PLAN";

// Calls on files whose path contains `path_part`, and not `spared_part` unless that is empty. What
// is not zero is the errno of its calls. Those that have one are numbered from 1 on: `first` and
// those up to `last` fail.
struct FileFaults {
  std::atomic<int> open_error;
  std::atomic<int> write_error;
  std::atomic<int> sync_error;
  std::atomic<int> rename_error;
  std::atomic<int> truncate_error;
  std::atomic<int> make_error;  // of folders and links
  std::atomic<uint64_t> calls;
  std::atomic<uint64_t> first;
  std::atomic<uint64_t> last;
  std::atomic<uint64_t> failed;  // so many calls
  char path_part[256];           // both written before an error is
  char spared_part[256];
};

// Allocations are numbered from 1 on: `first` and those up to `last` fail. 0: none.
struct MemoryFaults {
  // Those that are numbered: all, or those in the code of modules in the agent's process.
  enum class Of : int { kAll, kModules };
  std::atomic<Of> of;
  std::atomic<uint64_t> allocations;
  std::atomic<uint64_t> first;
  std::atomic<uint64_t> last;
  std::atomic<uint64_t> failed;
};

struct FaultPlan {
  MemoryFaults memory;
  FileFaults files;
};

static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

}  // namespace longshore::test
