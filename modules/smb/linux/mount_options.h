// The option `mount_options`: which of the kernel's options for shares an administrator may choose.
//
// Few are allowed, for the others would get around what this module promises: who the user is,
// which server is asked, that a server that does not answer is given up.
//
// Threads: immutable.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::smb {

struct MountOption {
  std::string name;
  std::string value;  // "": it takes none
};

class MountOptions {
 public:
  // "file_mode=0777" or "noperm". INVALID_ARGUMENT for one that is not allowed, for a value that it
  // cannot have, and for a version of SMB that cannot encrypt if that is required.
  static Result<MountOptions> from(const std::vector<std::string>& texts,
                                   bool require_privacy = false);

  const std::vector<MountOption>& options() const { return options_; }

 private:
  std::vector<MountOption> options_;
};

}  // namespace longshore::smb
