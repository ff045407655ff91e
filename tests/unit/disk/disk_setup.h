// The disks of a world, as the suite of the disk group describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace longshore::disk {

// A disk as the suite describes it.
struct DiskSetup {
  uint64_t bytes = uint64_t{64} << 20;
  bool filesystem = false;                      // on the whole disk
  std::optional<uint64_t> byte = std::nullopt;  // the one that is not zero
  bool read_only = false;
};
using Disks = std::vector<DiskSetup>;

}  // namespace longshore::disk
