// Whether a disk may get a partition table because nothing is on it.
#pragma once

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"
#include "support/linux/block/device_content.h"

namespace longshore::disk {

// By what libblkid knows. Also what a call left that was cut short while it wrote a table: the
// first sector comes last, and there is at most the partition that it adds, with nothing in it yet.
// Of other partitions no signature has to tell what they hold.
Result<bool> holds_nothing_known(const FileDescriptor& descriptor, const block::Disk& disk,
                                 const block::Content& content);

// Of a disk for which that is true: that its first and its last MiB are zero, and those of a
// partition that was left, but for what such calls left there. FAILED_PRECONDITION names what was
// found: what libblkid does not know may be somebody's data all the same.
Result<void> check_zero_at_ends(const FileDescriptor& descriptor, const block::Disk& disk,
                                const block::Content& content);

}  // namespace longshore::disk
