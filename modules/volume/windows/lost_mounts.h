// The ids of volumes that were found mounted and are gone.
//
// Windows' mount points stay when their disk is taken away, with the volume's name in them. Who
// asks for it gets the name, which no volume has any more: it is remembered that it was told, so
// that the driver, which asks of its disk and writes it out before it unmounts, is let through.
//
// Threads: any number at once.
#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>

#include "support/ascii.h"

namespace longshore::volume {

class LostMounts {
 public:
  void add(const std::string& volume_id) {
    const std::lock_guard lock(mutex_);
    // Whoever makes up mount points must not fill the memory.
    if (ids_.size() < kMostIds) ids_.insert(support::lower_case(volume_id));
  }
  bool contains(const std::string& volume_id) const {
    const std::lock_guard lock(mutex_);
    return ids_.contains(support::lower_case(volume_id));
  }
  void remove(const std::string& volume_id) {
    const std::lock_guard lock(mutex_);
    ids_.erase(support::lower_case(volume_id));
  }

 private:
  static constexpr size_t kMostIds = 1024;

  mutable std::mutex mutex_;
  std::set<std::string> ids_;
};

}  // namespace longshore::volume
