// Who uses a disk: mounts, swap, and devices that are made of it.
#pragma once

#include <string_view>

#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"

namespace longshore::block {

// FAILED_PRECONDITION if the running system needs the disk: it is beneath `/`, `/boot`, `/usr` (or
// what is mounted below the last two) or swap, directly or through dm and md. Such disks refuse
// every change, whatever the configuration says. Looks at the mounts of this process and of the
// first one, which are others when the agent has a mount namespace of its own.
Result<void> check_not_system_disk(const BlockDevices& devices, const Disk& disk,
                                   std::string_view operation);

// FAILED_PRECONDITION, with the user, if anything at all uses the disk or a part of it.
Result<void> check_unused(const BlockDevices& devices, const Disk& disk,
                          std::string_view operation);

}  // namespace longshore::block
