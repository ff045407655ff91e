// On which disk volumes were when they were looked for last, by what they were called: so that the
// next call for one knows what it would hang on before any disk is read. Only a hint: it may be
// elsewhere by now.
//
// Threads: any number at once; one lock. Owner: a finder.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "longshore/transparent_hash.hpp"
#include "support/linux/block/block_devices.h"

namespace longshore::volume {

class KnownVolumes {
 public:
  // More are forgotten all at once: they are found anew.
  static constexpr size_t kMost = 4096;

  void remember(std::string_view id, const block::Disk& disk) {
    const std::lock_guard lock(mutex_);
    if (disks_.size() >= kMost && !disks_.contains(id)) disks_.clear();
    disks_.insert_or_assign(std::string(id), disk);
  }

  // The disk as it was then.
  std::optional<block::Disk> disk_of(std::string_view id) const {
    const std::lock_guard lock(mutex_);
    const auto found = disks_.find(id);
    if (found == disks_.end()) return std::nullopt;
    return found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, block::Disk, TransparentHash, std::equal_to<>> disks_;
};

}  // namespace longshore::volume
