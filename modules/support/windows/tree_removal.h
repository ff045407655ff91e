// Removes all that a directory holds, however much and however deep, and nothing else: what
// linux/tree_removal.h does with descriptors.
//
// What it holds to while others rename, link and mount in the same tree:
//   - No reparse point is entered, whatever its tag: a link is removed, and from a mount point the
//     volume is taken away, with all that is on it. What is opened is looked at by its own handle,
//     so nothing is a directory in the listing and a link when it is opened.
//   - A directory is opened by one name in the handle of the one above it, and is removed by the
//     handle that it was emptied by, whatever has its name meanwhile.
// The directories from the top to the one that is being emptied are open, some 16,000 at most, as
// Windows takes no longer path; of none a listing is kept.
#pragma once

#include <string>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/windows/file_system_calls.h"

namespace longshore::support {

// Removes all that is in `directory`, which is opened to list, and keeps the directory. `path`
// names it in errors. ABORTED: others keep filling it. FAILED_PRECONDITION: a program has something
// in it open. DEADLINE_EXCEEDED, CANCELLED: the deadline was reached between two entries; another
// call goes on where this one ended.
Result<void> remove_contents(OpenFile& directory, const std::string& path,
                             const Deadline& deadline);

// Removes one opened entry by its handle (FileAccess::kRemove): a file, a link, an empty directory,
// or a mount point, whose volume is taken away first.
std::error_code remove_entry(OpenFile& entry);

}  // namespace longshore::support
