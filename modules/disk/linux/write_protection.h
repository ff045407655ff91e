// The kernel's flag that a disk, or one of its partitions, is read-only. Whoever may set it may
// clear it (blockdev --setro, --setrw). That the hardware, the driver or the loop device says so is
// another matter, which nothing here changes.
//
// Threads: any.
#pragma once

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"

namespace longshore::disk {

// Whether the disk or one of its partitions is read-only, whoever says so.
bool is_write_protected(const block::BlockDevices& devices, const block::Disk& disk);

// Clears the flags. What a driver refuses is no error: whoever looks afterwards sees that the disk
// is read-only still. `opened` is the disk's node.
Result<void> clear_write_protection(const block::BlockDevices& devices, const block::Disk& disk,
                                    const FileDescriptor& opened);

}  // namespace longshore::disk
