// The mount whose root something is, as the kernel's own lists tell and not the filesystem: one
// that has shut down, as xfs does when it cannot write to its disk, answers statx of its root with
// an error, and has to be unmounted all the same.
//
// Threads: any.
#pragma once

#include <optional>
#include <string>

#include "support/linux/mount_table.h"

namespace longshore::support {

// Of a name in an opened directory, unfollowed, or with "" of the opened file itself. Nothing: it
// is no mount's root, or cannot be told.
std::optional<Mount> mount_rooted_at(int directory, const std::string& name);

}  // namespace longshore::support
