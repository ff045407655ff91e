// Tells the kernel of partitions: a kernel without a parser for the table, and one whose disk was
// in use when the table changed, does not know them by itself (BLKPG, which needs no re-reading of
// the table and works while other partitions are in use).
#pragma once

#include "longshore/deadline.hpp"
#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"
#include "support/linux/block/device_content.h"

namespace longshore::block {

// The kernel's device for a partition of the table. Makes it where there is none, makes it anew
// where it has another start or a wrong size and is not in use, and lets it grow where it is too
// small. `disk` is opened; the caller holds the disk's lock. FAILED_PRECONDITION: the kernel's
// partition is another range of the disk and in use.
Result<KernelPartition> ensure_kernel_partition(const BlockDevices& devices, const Disk& disk,
                                                const FileDescriptor& opened,
                                                const TablePartition& partition);

// Waits for the node of a partition to appear in /dev; the disk's lock must be free, or udev waits
// for it too. DEADLINE_EXCEEDED after the deadline, or 10 seconds.
Result<void> wait_for_node(const KernelPartition& partition, const Deadline& deadline);

}  // namespace longshore::block
