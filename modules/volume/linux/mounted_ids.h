// Which volumes are mounted, by the devices that they are mounted from: the disk may lose its
// table, or go, and what is mounted is that volume still. As long as it is mounted no other disk
// gets its device; what was unmounted stays here, so who asks looks whether the device is on the
// disk yet that the id names.
//
// Lasts as long as the module.
//
// Threads: any number at once; one lock. Owner: a finder.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace longshore::volume {

class MountedIds {
 public:
  // More are forgotten all at once. Those that a call asks for are remembered again.
  static constexpr size_t kMost = 4096;

  void remember(dev_t device, std::string id) {
    const std::lock_guard lock(mutex_);
    if (ids_.size() >= kMost && !ids_.contains(device)) ids_.clear();
    ids_.insert_or_assign(device, std::move(id));
  }

  // The last; "": none.
  std::string id_of(dev_t device) const {
    const std::lock_guard lock(mutex_);
    const auto found = ids_.find(device);
    return found == ids_.end() ? std::string() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<dev_t, std::string> ids_;
};

}  // namespace longshore::volume
