// The types of filesystems that an administrator allows to be mounted: the option
// `allowed_filesystems`.
//
// What is on a disk chooses the kernel's code that reads it, and whoever made the disk chose that.
// Much of that code was never meant to read what an enemy wrote.
//
// Threads: immutable.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::volume {

class AllowedFilesystems {
 public:
  // By libblkid's names; "ntfs3", the kernel's name, is "ntfs". INVALID_ARGUMENT for what is no
  // name of a filesystem on a disk.
  static Result<AllowedFilesystems> from(const std::vector<std::string>& types);

  // FAILED_PRECONDITION: volumes of the type are not mounted; the option is named. `operation`
  // completes "cannot ... <object>".
  Result<void> check(std::string_view type, std::string_view operation,
                     const std::string& object) const;

 private:
  explicit AllowedFilesystems(std::set<std::string, std::less<>> types)
      : types_(std::move(types)) {}

  std::set<std::string, std::less<>> types_;
};

}  // namespace longshore::volume
