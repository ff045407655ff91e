// The disks of a world, as the suite of the volume group describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace longshore::volume {

struct Setup {
  size_t disks = 1;
  uint64_t bytes = uint64_t{128} << 20;
  std::string filesystem = "ext4";     // what format() makes
  bool whole_disk_filesystem = false;  // an ext4 on each
  bool mount_read_only_disks = false;
};

}  // namespace longshore::volume
