// Which limits a module's process has, by what, and why not otherwise: one line in the log.
#pragma once

#include <string>

#include "observe/log.h"

namespace longshore::supervise {

class LimitReport {
 public:
  static constexpr const char* kNone = "none";

  explicit LimitReport(const std::string& module) : fields_{{"module", module}} {}

  // A limit by the name of its key, set by `by`, or since that cannot be by `instead`.
  void add(const char* key, const char* by, const std::string& why_not, const char* instead);
  // Nothing when there are no limits; a warning when not all of them could be set.
  void write(observe::Log& log);
  // "memory_max=cgroup system_call_filter=seccomp", and why not all of them are there.
  std::string words() const;

 private:
  observe::Fields fields_;
  std::string reason_;
  bool all_ = true;
};

}  // namespace longshore::supervise
