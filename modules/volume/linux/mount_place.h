// On which mount something lies, asked of the thing itself (statx) and looked up in the list of
// mounts: paths may be covered or moved meanwhile.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/mount_table.h"
#include "support/posix_path.h"

namespace longshore::volume {

// Which mount a name or an opened file lies on, and whether it is that mount's root.
struct Place {
  uint64_t mount_id = 0;
  dev_t device = 0;
  bool is_mount_root = false;
  bool is_link = false;
  bool is_directory = false;
  bool is_shut_down = false;  // its filesystem answers nothing any more, not even for its root
};

// Of a name in an opened directory, or with "" of the opened file itself. `path` is what errors
// name.
Result<Place> place_of(int directory, const std::string& name, const support::PosixPath& path,
                       std::string_view operation);

// The mount that it lies on. ABORTED: it is not there any more.
Result<support::Mount> mount_at(const Place& place, const support::PosixPath& path,
                                std::string_view operation);

// The path of an opened directory as the list of mounts names it; "" where it has no name any more.
std::string path_of(const FileDescriptor& opened);

// The mount's root. Nothing, with the reason as its error(): what is mounted over it would be
// opened instead (ESTALE), or its filesystem has shut down (EIO).
FileDescriptor open_root_of(const support::Mount& mount);

}  // namespace longshore::volume
