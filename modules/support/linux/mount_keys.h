// The key of a path: the server or filesystem that a call for it would hang on.
//
//   on NFS and SMB             the server: "files.example"
//   on any other filesystem    the filesystem, however often it is mounted: "fuse.sshfs 0:53"
//   on that of an allowed root,
//   unless it is FUSE          nothing, which leaves the path as the key
//
// A filesystem that a root lies on gets no key: only links lead from there to what is dead, and one
// call that is stuck there would count against nearly all paths that callers ask for. autofs gets
// none, since it stands for many servers.
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
  MountKeys(const std::vector<Mount>& mounts, const AllowedRoots& roots);

  // "": nothing. By the path's names alone: see MountPoints::mount_of.
  std::string_view key_of(const PosixPath& path) const;

 private:
  MountPoints points_;
  std::vector<std::string> keys_;  // of each mount
};

}  // namespace longshore::support
