// Which mount a path lies on, as a list of mounts tells: nothing is asked of the path itself.
//
// What is covered by a later mount, at the same point or above, counts as the kernel counts it: by
// the mount that each one was made on, not by the order of the list, which moved mounts are out of.
//
// Threads: immutable.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/linux/mount_table.h"
#include "support/posix_path.h"

namespace longshore::support {

class MountPoints {
 public:
  MountPoints() = default;
  explicit MountPoints(const std::vector<Mount>& mounts);

  // The place in the list of the mount that the path lies on, by its names alone: a link in it may
  // lead elsewhere. Nothing: no mount that is listed holds it.
  std::optional<size_t> mount_of(const PosixPath& path) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  // Those that are not covered. So the longest point that the path is at or below is the one.
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> visible_;
};

}  // namespace longshore::support
