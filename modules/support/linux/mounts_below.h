// Which mount points lie below a directory.
#pragma once

#include <optional>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::support {

// The path of one mount point below the opened directory (any kind: directory, file, bind mount),
// or nothing when there is none. Asks /proc/self/mountinfo, so the answer is of this moment and of
// this process's mount namespace.
Result<std::optional<std::string>> find_mount_below(const FileDescriptor& directory);

}  // namespace longshore::support
