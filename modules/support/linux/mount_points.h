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

#include "longshore/transparent_hash.hpp"
#include "support/linux/mount_table.h"
#include "support/posix_path.h"

namespace longshore::support {

class MountPoints {
 public:
  MountPoints() = default;
  explicit MountPoints(const std::vector<Mount>& mounts);

  // The place in the list of the mount that the path lies on, by its names alone: a link in it may
  // lead elsewhere. Nothing: no mount that is listed holds it.
  std::optional<size_t> mount_of(const PosixPath& path) const { return mount_of(path.text()); }
  // An absolute path in its shortest spelling, that no caller may have sent.
  std::optional<size_t> mount_of(std::string_view path) const;

 private:
  // Those that are not covered. So the longest point that the path is at or below is the one.
  std::unordered_map<std::string, size_t, TransparentHash, std::equal_to<>> visible_;
  // Whether any point has so many characters. Of a path with thousands of names, as anybody may
  // make it, only those above it that may be a point are looked up.
  std::vector<bool> has_size_;
};

}  // namespace longshore::support
