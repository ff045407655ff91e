// The job object of one process of a module: its limits, and the end of all that it has started.
//
// The last handle ends the job with all who are in it, so that nobody stays when the agent dies.
//
// Threads: `end_all` any; the rest one at a time. Owner: the process.
#pragma once

#include <map>
#include <string>

#include "longshore/result.hpp"
#include "longshore/windows/handle.hpp"
#include "supervise/group_limits.h"

namespace longshore::supervise {

class JobObject {
 public:
  static Result<JobObject> make(const GroupLimits& limits);

  // Those of the limits that cannot be set, and why, by their key ("cpu_max"); it goes without.
  const std::map<std::string, std::string>& faults() const { return faults_; }

  Result<void> add(HANDLE process) const;
  // Ends all who are in it with this exit code.
  void end_all(uint32_t code) const;

 private:
  explicit JobObject(Handle job) : job_(std::move(job)) {}
  Result<void> set(JOBOBJECTINFOCLASS kind, void* information, size_t size) const;
  Result<void> limit_processors(double processors) const;

  Handle job_;
  std::map<std::string, std::string> faults_;
};

}  // namespace longshore::supervise
