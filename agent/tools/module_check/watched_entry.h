// A module's entry whose instances see a host of another age, and whose functions are timed.
//
// One for a process, which each test has for itself.
#pragma once

#include <chrono>

#include "longshore/abi.h"

namespace longshore::module_check {

enum class HostAge {
  kSame,
  // Its table is as short as the ABI version that the module needs has it, and memory that cannot
  // be read follows.
  kOlder,
  // Its table is longer than ours, with functions in it that end the process.
  kNewer,
};

// `entry` as the host sees it from now on. The original must outlive it.
longshore_module_entry watch(const longshore_module_entry& entry, HostAge age);

// How long the functions that must not block have taken at most, in all instances of the entry.
struct LongestTimes {
  std::chrono::nanoseconds cancel{};
  std::chrono::nanoseconds writable{};
  std::chrono::nanoseconds invoke{};
};
LongestTimes longest_times();
void forget_times();

}  // namespace longshore::module_check
