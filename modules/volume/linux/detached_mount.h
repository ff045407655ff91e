// Mounts with the kernel's mount API: a filesystem is first mounted nowhere, can be asked and
// changed there, and is then attached to a directory that was opened before.
//
// A mount that was not attached ends with its descriptor.
#pragma once

#include <string>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::volume {

struct MountRequest {
  std::string type;  // the kernel's name: "ext4", "ntfs3"
  std::string node;  // "/dev/sda1"
  // Of a btrfs on several disks, which the kernel may not have heard of without udev.
  std::vector<std::string> other_nodes = {};
  bool read_only = false;
  // mkfs has just made it: what the kernel refuses is not damaged.
  bool is_new = false;
  // Whether what was not unmounted properly is mounted from a read-only disk without what only its
  // journal holds.
  bool may_skip_journal = false;
};

struct DetachedMount {
  FileDescriptor descriptor;
  // What only the journal holds is not in it.
  bool lacks_journal = false;
};

// A copy of an xfs that the kernel has mounted already is mounted all the same.
//
// Always with nosuid and nodev: what a volume brings along does not become a privilege on the node.
// Errors carry what the kernel says of the reason.
Result<DetachedMount> mount_detached(const MountRequest& request);

// Attaches it to the opened directory. What is mounted there already would be covered: the caller
// sees to it that nothing is.
Result<void> attach(const FileDescriptor& mount, const FileDescriptor& directory,
                    const std::string& target);

}  // namespace longshore::volume
