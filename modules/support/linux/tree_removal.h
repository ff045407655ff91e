// Removes all that a directory holds, however much and however deep, and nothing else.
//
// What it holds to while others rename, link and mount in the same tree:
//   - A link is removed, never followed: directories are opened by one name in an opened parent.
//   - A mount point is never entered (openat2, RESOLVE_NO_XDEV). Mounts are also looked for before
//     the first entry is removed: half a volume removed is worse than none, and a mount in a tree
//     to be removed means that somebody still uses it.
//   - Every directory is reached from the top downwards, never through "..", by an opening that
//     cannot leave the top (openat2, RESOLVE_BENEATH): whatever is moved where meanwhile, nothing
//     is read or removed but what lay below the top when it was opened. No comparison guards
//     this, so none can fail.
// At most 48 directories are kept open and nothing is remembered of the others: the way back to
// those is found again, by names, from the nearest open one above. So any depth costs less than a
// megabyte, n levels take about n log n steps, and no step takes long.
#pragma once

#include <string>

#include "longshore/deadline.hpp"
#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::support {

// Removes all that is in `directory` (any descriptor of one, O_PATH is enough) and keeps the
// directory. `path` names it in errors. FAILED_PRECONDITION: there is a mount point below it.
// ABORTED: others keep filling it. DEADLINE_EXCEEDED, CANCELLED: the deadline was reached between
// two entries; another call goes on where this one ended.
Result<void> remove_contents(const FileDescriptor& directory, const std::string& path,
                             const Deadline& deadline);

}  // namespace longshore::support
