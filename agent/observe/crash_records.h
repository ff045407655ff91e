// What crashes of the agent and of modules' processes have left: a text for each.
//
//   <state_dir>/crashes/<milliseconds since 1970>-<program>-<process>
//
// The agent's own is made empty at its start, so that a crash needs only write to it; who finds an
// empty one passes it over. The oldest go when there are more than kMostCrashRecords.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::observe {

inline constexpr size_t kMostCrashRecords = 32;
inline constexpr size_t kMaxCrashRecordBytes = 16 << 10;

struct CrashRecord {
  std::string name;
  std::string text;

  // "SIGSEGV code 1 address 0x0" of "signal"; empty: it is not told.
  std::string field(std::string_view key) const;
};

// Removes the empty ones and the oldest, and makes one for this process: a descriptor for writing,
// which stays open. `last`: the newest there was.
Result<int> prepare_crash_record(const std::string& state_dir, const std::string& program,
                                 CrashRecord* last);

// Keeps what a module's process has printed of its crash.
Result<void> add_crash_record(const std::string& state_dir, const std::string& program, int process,
                              std::string_view text);

// The oldest first.
Result<std::vector<CrashRecord>> list_crash_records(const std::string& state_dir);

}  // namespace longshore::observe
