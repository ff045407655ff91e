// Runs a test in a process of its own, so that what it does to that process harms nothing else.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "tools/module_check/report.h"

namespace longshore::module_check {

// Told what the test is about to do, it is named if the process ends there. Threads: any.
class Steps {
 public:
  virtual ~Steps() = default;
  virtual void begin(std::string_view what) = 0;
};

// Calls `test` in a child of this process, which must have no other thread and start no other child
// meanwhile, and gives its report. What ends without one has crashed, or has failed if it ended the
// process itself or took longer than `limit`. Processes that the test leaves behind are killed,
// also those that have made themselves daemons: from the first call on they come to this process.
Report run_apart(const std::function<Report(Steps&)>& test, std::chrono::nanoseconds limit);

}  // namespace longshore::module_check
