// What is mounted where, as /proc/<process>/mountinfo tells.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::support {

struct Mount {
  uint64_t id = 0;      // what statx calls stx_mnt_id
  uint64_t parent = 0;  // the id of the mount that its point lies on, which may not be listed
  dev_t device = 0;     // of the filesystem; no block device's for btrfs and filesystems in memory
  std::string root;     // what of the filesystem is mounted: "/" unless it is a bind mount
  std::string point;    // where
  std::string type;     // "ext4"
  std::string source;   // "/dev/sda1", or whatever was given to mount
  std::string options = {};  // the filesystem's own: "rw,size=1024k"
};

// The mounts of this process's namespace ("self") or of another's, in the order of the table: what
// covers another mount at the same point comes after it.
Result<std::vector<Mount>> read_mounts(const std::string& process = "self");

// The same of a table's text. `path`: where it was read.
Result<std::vector<Mount>> parse_mounts(std::string_view table, const std::string& path);

}  // namespace longshore::support
