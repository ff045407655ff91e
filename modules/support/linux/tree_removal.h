// Removes all that a directory holds, however much and however deep, and nothing else.
//
// What it holds to while others rename, link and mount in the same tree:
//   - A link is removed, never followed: directories are opened by one name in an opened parent.
//   - A mount point is never entered (openat2, RESOLVE_NO_XDEV). Mounts are also looked for before
//     the first entry is removed: half a volume removed is worse than none, and a mount in a tree
//     to be removed means that somebody still uses it.
//   - The way back up is kept open for the deepest 32 levels; above them it is "..", taken only if
//     it is the very directory that the way down came through.
// Any depth therefore costs at most 32 descriptors, and no recursion.
#pragma once

#include <string>

#include "longshore/result.hpp"
#include "support/call_limits.h"
#include "support/linux/file_descriptor.h"

namespace longshore::support {

// Removes all that is in `directory` (any descriptor of one, O_PATH is enough) and keeps the
// directory. `path` names it in errors. FAILED_PRECONDITION: there is a mount point below it.
// ABORTED: others moved its directories or kept filling them. DEADLINE_EXCEEDED, CANCELLED: the
// limits were reached between two entries; another call goes on where this one ended.
Result<void> remove_contents(const FileDescriptor& directory, const std::string& path,
                             const CallLimits& limits);

}  // namespace longshore::support
