// What a volume holds. libblkid alone cannot tell: whoever may write files makes blocks that look
// like anything, and what was on the disk before leaves its second superblocks.
//
// A filesystem (ext2 to ext4, xfs, btrfs, ntfs) whose superblock is valid at its own place is what
// the volume holds,
// - if it is mounted: the kernel has read it, or
// - if all else lies where its files may lie. Not what begins in the first 16 KiB, where no file
//   does and other kinds (LVM, LUKS, md 1.1 and 1.2) have their one header, nor zfs' first label,
//   nor, behind the filesystem's end, the superblock of an array that it is in.
// Else it is ambiguous, and nobody mounts it.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/device_content.h"

namespace longshore::volume {

// Of the range of the opened disk, which the kernel knows as `device` (0: it does not). `object`
// names it in errors.
Result<block::Content> read_volume_content(const FileDescriptor& disk,
                                           const block::ByteRange& range, const std::string& object,
                                           dev_t device);

// FAILED_PRECONDITION, for a call that needs a filesystem on the volume. `operation` completes
// "cannot ...", and `object` what it was to be done to.
Error lacks_filesystem(const block::Content& content, std::string_view operation,
                       const std::string& object, const std::string& volume_id);

}  // namespace longshore::volume
