// The words of the tables: when a call is made, and what a driver does with its answer.
#pragma once

#include "tests/drivers/driver.h"

namespace longshore::test {

// When.
inline bool always(const Findings&) { return true; }
inline bool if_exists(const Findings& found) { return found.exists; }
inline bool if_absent(const Findings& found) { return !found.exists; }
inline bool if_mounted(const Findings& found) { return found.mounted; }
inline bool if_not_mounted(const Findings& found) { return !found.mounted; }
inline bool if_unformatted(const Findings& found) { return !found.formatted; }
inline bool if_volume_known(const Findings& found) { return !found.volume.empty(); }
inline bool if_resize_wanted(const Findings& found) { return found.resize_wanted; }
inline bool if_link_known(const Findings& found) { return !found.link.empty(); }
inline bool if_last_reference(const Findings& found) { return found.is_last_reference; }

// An error ends the method, the answer's content is not looked at.
Verdict required(Findings& found, const Reply& reply);
// Errors are logged at most.
Verdict ignored(Findings& found, const Reply& reply);
// An error counts only if the goal is not reached.
Verdict remembered(Findings& found, const Reply& reply);

// PathExists: required, and kept for the rows below.
Verdict tells_existence(Findings& found, const Reply& reply);
// IsSymlink: true is success at once, false goes on, an error ends the method...
Verdict done_if_link(Findings& found, const Reply& reply);
// ...or means the same as false.
Verdict done_if_link_else_goes_on(Findings& found, const Reply& reply);
// IsSymlink: required, and kept: a link counts as mounted.
Verdict tells_whether_mounted(Findings& found, const Reply& reply);
// PathExists: false is success, with nothing more.
Verdict done_if_absent(Findings& found, const Reply& reply);
// PathExists: false is an error of the method.
Verdict must_exist(Findings& found, const Reply& reply);

// ListDiskLocations and ListDiskIDs: which disk it is. None is an error of the method.
Verdict takes_disk_by_lun(Findings& found, const Reply& reply);
Verdict takes_disk_by_serial_part(Findings& found, const Reply& reply);
Verdict takes_disk_by_last_word_of_page83(Findings& found, const Reply& reply);
Verdict takes_disk_by_page83(Findings& found, const Reply& reply);

// ListVolumesOnDisk: the first of them; none at all is an index out of range.
Verdict first_volume_or_panic(Findings& found, const Reply& reply);
// The same, with a look whether there is one.
Verdict first_volume(Findings& found, const Reply& reply);
Verdict tells_whether_formatted(Findings& found, const Reply& reply);

// GetVolumeIDFromTargetPath: required, and kept.
Verdict takes_volume(Findings& found, const Reply& reply);
// The same, without a volume if that fails.
Verdict takes_volume_if_any(Findings& found, const Reply& reply);

// GetDiskStats: kept; an error is a nil pointer that is followed.
Verdict takes_disk_bytes_or_panic(Findings& found, const Reply& reply);
Verdict takes_disk_bytes(Findings& found, const Reply& reply);
Verdict takes_filesystem_bytes(Findings& found, const Reply& reply);
// GetDiskNumberFromVolumeID: required, and kept.
Verdict takes_disk(Findings& found, const Reply& reply);

}  // namespace longshore::test
