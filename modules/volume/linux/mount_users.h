// Who keeps a mount from being unmounted, and who keeps its filesystem alive after that: another
// mount namespace has it mounted too, or files are open since a lazy unmount.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "support/linux/mount_table.h"
#include "volume/linux/mount_place.h"

namespace longshore::volume {

// Of a mount that is busy: "process 812 (postgres) has files open in it", or what is known if none
// can be seen.
std::string user_of_busy(const support::Mount& mount, const Place& place);

// Of what was unmounted and is mounted in this namespace nowhere else: the device, and who uses its
// filesystem, as a sentence. Nothing: the kernel has let go of the device. `mount` and `place` are
// as they were.
std::optional<std::string> use_after_unmount(const support::Mount& mount, const Place& place,
                                             const std::string& sysfs);

}  // namespace longshore::volume
