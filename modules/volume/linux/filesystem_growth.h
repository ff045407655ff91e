// Lets a mounted filesystem grow into its device, and tells its size as the filesystem counts it,
// and its uuid: the ioctls that resize2fs, xfs_growfs and btrfs use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "volume/volume_backend.h"

namespace longshore::volume {

// Whether a filesystem of this kind (the kernel's name) can grow while it is mounted.
bool can_grow(const std::string& type);

// `mount` is any directory of it, `device` the one that has grown to `bytes`. A filesystem that is
// as large already is left as it is. PERMISSION_DENIED: ext4 asks for CAP_SYS_RESOURCE.
Result<void> grow_filesystem(const std::string& type, const FileDescriptor& mount, dev_t device,
                             uint64_t bytes, const std::string& object);

// Total and used bytes of a mounted filesystem, its own structures counted as used. `total` is the
// size by the superblock, for ext2 to ext4, of which statvfs leaves their structures out.
Result<VolumeStats> mounted_stats(const std::string& type, const FileDescriptor& mount,
                                  std::optional<uint64_t> total, const std::string& object);

// What the kernel took from the superblock when it mounted the filesystem, as libblkid writes it.
// "": it has none, or the kernel does not tell of this kind (of ext4 since Linux 6.0), or the
// filesystem has shut down, so that `mount` could not be opened.
std::string mounted_uuid(const std::string& type, const FileDescriptor& mount);

}  // namespace longshore::volume
