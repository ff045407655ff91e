// That a disk was taken offline by SetDiskState: a state of the agent's own, for every kind of
// disk.
//
// Nothing on such a disk is mounted and its volumes are not served; the kernel knows nothing of it,
// so that the disk can be read (unless offline_in_kernel takes SCSI disks offline there as well).
// The record is an extended attribute of the disk's node in /dev, trusted.longshore.offline, with
// the disk's number as its value. The kernel keeps it together with the device: it outlives agents
// and modules, whoever shares that /dev sees it, and it is gone with the disk and when the node
// starts again. A number that is not the disk's own was left by one that had the same name before,
// and says nothing.
//
// It is written and removed by who holds the disk's lock (opened_disk.h), and looked at with the
// lock by who mounts or changes volumes, so that the two never meet.
//
// Threads: any. Looking opens no disk, so nothing waits for one that does not answer.
#pragma once

#include <string_view>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"

namespace longshore::block {

bool is_taken_offline(const Disk& disk);

// Success also if it was recorded already. `opened` is the disk's node. UNIMPLEMENTED: this /dev
// keeps no such record.
Result<void> record_offline(const FileDescriptor& opened, const Disk& disk,
                            std::string_view operation);

// Success also if there was none.
Result<void> remove_offline_record(const FileDescriptor& opened, const Disk& disk,
                                   std::string_view operation);

// What is said of an offline disk's volumes.
Error offline_disk_refused(uint32_t disk_number, std::string_view operation,
                           std::string_view object);

}  // namespace longshore::block
