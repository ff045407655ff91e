// The volumes of a disk, taken from everybody for as long as the disk is taken offline.
//
// Windows lets a disk go offline while programs write to it, and they lose what they write. So each
// volume is locked first: nobody has anything open there, everything is written, and nobody opens
// anything until the locks are given back. That a volume has a drive's letter keeps nothing, as
// Windows gives such letters of itself; a directory that it is mounted on does.
//
// Threads: one at a time. Owner: holds the locks.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/windows/device_control.h"
#include "support/windows/node_volumes.h"
#include "support/windows/volume_functions.h"

namespace longshore::disk {

class DiskVolumes {
 public:
  // FAILED_PRECONDITION: one is mounted on a directory, or somebody uses it still after `patience`.
  static Result<DiskVolumes> lock(support::DeviceControl& devices,
                                  support::VolumeFunctions& functions,
                                  const std::vector<support::NodeVolume>& volumes, uint32_t disk,
                                  std::string_view operation, std::chrono::milliseconds patience,
                                  const Deadline& deadline);

 private:
  DiskVolumes() = default;

  std::vector<std::unique_ptr<support::Device>> locked_;  // a lock goes with its handle
};

}  // namespace longshore::disk
