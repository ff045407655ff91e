// Which disks are served: the option `disk_names` of the disk and volume modules.
//
// Threads: immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::block {

class DiskNames {
 public:
  // Patterns of the kernel's names ("sd*", "nvme0n1"); `*` stands for any characters, none too.
  // INVALID_ARGUMENT: no pattern at all, or one that no name can have.
  static Result<DiskNames> from(const std::vector<std::string>& patterns);

  bool includes(std::string_view name) const;

 private:
  explicit DiskNames(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}

  std::vector<std::string> patterns_;
};

}  // namespace longshore::block
