// The key of a path: the server or filesystem that a call for it would hang on.
//
//   on NFS and SMB             the server: "files.example"
//   on a disk                  the disk, whatever of it is mounted: "disk 12"; of a btrfs on
//   several
//                              the one that it was mounted from
//   on any other filesystem    the filesystem, however often it is mounted: "fuse.sshfs 0:53"
//   on that of an allowed root,
//   unless it is FUSE          nothing, which leaves the path as the key
//
// A filesystem that a root lies on gets no key: one call that is stuck there would count against
// nearly all paths that callers ask for. autofs gets none, since it stands for many servers. Of
// disks see block/device_stack.h.
//
// Threads: immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/allowed_roots.h"
#include "support/linux/mount_points.h"
#include "support/linux/mount_table.h"

namespace longshore::support {

class MountKeys {
 public:
  MountKeys() = default;  // of no mounts
  MountKeys(const std::vector<Mount>& mounts, const AllowedRoots& roots,
            const std::string& sysfs_root = "/sys");

  // "": nothing. By the path's names alone: see MountPoints::mount_of.
  std::string_view key_of(const PosixPath& path) const { return key_of(path.text()); }
  std::string_view key_of(std::string_view path) const;

  // Whether there is a mount in the roots that might fall silent, so that links may lead to it.
  bool has_silent() const { return has_silent_; }

  // Whether looking at what the path names, without links, touches nothing that might fall
  // silent: the mount that it lies on, and those above, are in memory, or of what roots lie on.
  bool may_look_at(std::string_view path) const;

 private:
  void find_silent(const std::vector<Mount>& mounts, const AllowedRoots& roots);
  bool is_below_silent(std::string_view point) const;

  MountPoints points_;
  std::vector<std::string> keys_;    // of each mount
  std::vector<bool> may_be_silent_;  // each mount
  std::vector<bool> may_look_at_;    // what lies on each mount
  bool has_silent_ = false;
};

}  // namespace longshore::support
