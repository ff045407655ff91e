// Whether a disk without a table may get one because nothing is on it.
#pragma once

#include "longshore/result.hpp"
#include "support/windows/disk_device.h"

namespace longshore::disk {

// That its first and its last MiB are zero. FAILED_PRECONDITION tells where they are not: what
// Windows knows no table on may be somebody's data all the same, a filesystem of another system's
// or a table that lost its first sector.
Result<void> check_zero_at_ends(support::DiskDevice& disk);

}  // namespace longshore::disk
