// What calls for paths would hang on, each said in a word: the rule.
//
//   on NFS and SMB             the server: "files.example"
//   on any other filesystem    the filesystem, however often it is mounted: "fuse.sshfs 0:53"
//   on that of an allowed root,
//   unless it is FUSE          nothing, which leaves the path as the key
//
// The last because nothing but links leads from there to what is dead: whoever hangs there would
// count against every path that has no link in it, which is nearly all that callers ask for. For
// the same reason autofs has no key: what hangs beneath it is one server of many.
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
