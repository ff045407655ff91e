// Who uses a disk: mounts, swap, devices that are made of it, and processes that have it open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"

namespace longshore::block {

// FAILED_PRECONDITION if the running system needs the disk: it is beneath `/`, `/boot`, `/usr` (or
// what is mounted below the last two), one of the `needed` directories, or swap, directly or
// through dm and md. Such disks refuse every change, whatever the configuration says. Looks at the
// mounts of this process and of the first one, which are others when the agent has a mount
// namespace of its own. Where neither is the node's, as in a container, only what of the node is
// mounted here is seen: that is what `needed` is for.
Result<void> check_not_system_disk(const BlockDevices& devices, const Disk& disk,
                                   std::string_view operation,
                                   const std::vector<std::string>& needed = {});

// FAILED_PRECONDITION, with the user, if anything at all uses the disk or a part of it: also what
// is mounted in another mount namespace, with a process of that.
Result<void> check_unused(const BlockDevices& devices, const Disk& disk,
                          std::string_view operation);

// The same, and opens it for reading so that nobody can mount it or make a device of it. So users
// are noticed that no list shows, such as files that are open after a lazy unmount; the error names
// their process, as far as /proc shows it (not of btrfs, of whose files no disk can be told).
Result<FileDescriptor> open_unused(const BlockDevices& devices, const Disk& disk,
                                   std::string_view operation);

}  // namespace longshore::block
