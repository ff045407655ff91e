// The test's side of a plan of faults, and an agent that follows it.
//
// Threads: any. Owner: the test; outlives the agents that were started with it.
#pragma once

#include <string>
#include <vector>

#include "tests/faults/fault_plan.h"
#include "tests/support/temporary_directory.h"

namespace longshore::test {

class FaultInjection {
 public:
  FaultInjection();
  ~FaultInjection();
  FaultInjection(const FaultInjection&) = delete;
  FaultInjection& operator=(const FaultInjection&) = delete;

  // What the agent needs in its environment.
  std::vector<std::string> variables() const;

  // The allocations from now on are numbered from 1; of these fail `count`, the first of which is
  // `first`.
  void fail_allocations(uint64_t first, uint64_t count = 1,
                        MemoryFaults::Of of = MemoryFaults::Of::kAll);
  // Counts from 1 on, and nothing fails.
  void count_allocations() { fail_allocations(0, 0); }
  uint64_t allocations() const { return plan_->memory.allocations; }
  uint64_t failed_allocations() const { return plan_->memory.failed; }

  // What broken_files.h is about.
  FileFaults& files() { return plan_->files; }
  uint64_t failed_files() const { return plan_->files.failed; }

 private:
  const TemporaryDirectory directory_;
  FaultPlan* plan_ = nullptr;
};

}  // namespace longshore::test
