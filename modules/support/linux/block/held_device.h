// Disks and partitions that dm, md or the like have taken for a device of their own. Nobody else
// can open such a one for itself, and what it holds is that device's.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"

namespace longshore::block {

struct HeldDevice {
  std::string name;    // "sda1"
  std::string holder;  // "dm-0"; "": nobody
};

// FAILED_PRECONDITION, with the holder and what to do: most often it is multipath, which takes
// every disk that its blacklist does not name. `operation` completes "cannot ...".
Error held_refused(const BlockDevices& devices, const HeldDevice& held, std::string_view operation,
                   const std::string& object);

// The same for a disk that is held as a whole; else success.
Result<void> check_not_held(const BlockDevices& devices, const Disk& disk,
                            std::string_view operation);

}  // namespace longshore::block
