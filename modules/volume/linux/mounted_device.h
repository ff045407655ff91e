// What the kernel says of the filesystem that is mounted, and from which device.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <string>

#include "support/linux/mount_table.h"

namespace longshore::volume {

// The kernel's name of what libblkid calls so: "ntfs3" for "ntfs".
std::string kernel_name(const std::string& type);

// btrfs has a device number of its own; its source is one of its disks, whichever was mounted.
dev_t block_device_of(const support::Mount& mount);

// "UUID=...", of a filesystem on a whole disk: as the kernel took it from the superblock when it
// mounted it, whatever the disk holds now. "": the kernel does not tell.
std::string kernel_id(const support::Mount& mount);

// Whether the kernel says that what is mounted has another id.
bool is_another(const support::Mount& mount, const std::string& id);

}  // namespace longshore::volume
