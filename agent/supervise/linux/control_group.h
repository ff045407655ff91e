// The control group (cgroup v2) of one process of a module: its limits and its end.
//
// Threads: one at a time. Owner: the connection to the process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

#include "longshore/result.hpp"

namespace longshore::supervise {

// 0: no limit of that kind.
struct GroupLimits {
  double processors = 0;  // 0.5: half of the time of one
  uint64_t memory = 0;    // bytes
  uint64_t processes = 0;

  bool any() const { return processors > 0 || memory > 0 || processes > 0; }
};

// Writes to the files that the kernel has made in the group's folder.
Result<void> write_limits(const std::string& folder, const GroupLimits& limits);

// Kills all who are in the group, waits until they are gone, though not for ever, and removes it.
// What hangs in the kernel keeps its folder.
void kill_and_remove_group(const std::string& folder);

class ControlGroup {
 public:
  // Of none.
  ControlGroup() = default;
  // Takes over a folder. `ends_all`: who is in the group ends with it.
  ControlGroup(std::string folder, bool ends_all)
      : folder_(std::move(folder)), ends_all_(ends_all) {}
  ControlGroup(ControlGroup&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), ends_all_(other.ends_all_) {}
  ControlGroup& operator=(ControlGroup&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(ends_all_, other.ends_all_);
    return *this;
  }
  // May block for a moment.
  ~ControlGroup();

  Result<void> add(pid_t process) const;
  // Whether the kernel has killed anybody in it for want of memory.
  bool ran_out_of_memory() const;

 private:
  std::string folder_;
  bool ends_all_ = false;
};

}  // namespace longshore::supervise
