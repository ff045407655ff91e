// The control group (cgroup v2) of one process of a module: its limits and its end.
//
// Threads: one at a time. Owner: the connection to the process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "longshore/result.hpp"
#include "supervise/group_limits.h"

namespace longshore::supervise {

// Writes to the files that the kernel has made in the group's folder.
Result<void> write_limits(const std::string& folder, const GroupLimits& limits);

// Kills all who are in the group, waits until they are gone, though not for ever, and removes it.
// What hangs in the kernel keeps its folder.
void kill_and_remove_group(const std::string& folder);

class Cgroup {
 public:
  // Of none.
  Cgroup() = default;
  // Takes over a folder. `ends_all`: who is in the group ends with it. `name` is let go when the
  // folder is not touched any more.
  Cgroup(std::string folder, bool ends_all, std::shared_ptr<const void> name = nullptr)
      : folder_(std::move(folder)), ends_all_(ends_all), name_(std::move(name)) {}
  Cgroup(Cgroup&& other) noexcept
      : folder_(std::exchange(other.folder_, {})),
        ends_all_(other.ends_all_),
        name_(std::move(other.name_)) {}
  Cgroup& operator=(Cgroup&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(ends_all_, other.ends_all_);
    std::swap(name_, other.name_);
    return *this;
  }
  // May block for a moment.
  ~Cgroup();

  Result<void> add(pid_t process) const;
  // How many of those in it the kernel has killed for want of memory, since it was made. It does
  // not tell whom.
  int64_t killed_for_memory() const;

 private:
  std::string folder_;
  bool ends_all_ = false;
  std::shared_ptr<const void> name_;
};

}  // namespace longshore::supervise
