// What Rmdir asks of the volume group: to take a volume away from where it is mounted.
//
// The filesystem group unmounts nothing itself: the volume group alone has the locks, knows which
// disks are served, and leaves a line in the audit log.
#pragma once

#include <string>

#include "longshore/result.hpp"
#include "support/path.h"

namespace longshore::filesystem {

// Threads: one call's. Errors are the volume group's, or say why it cannot be asked:
// PERMISSION_DENIED, UNIMPLEMENTED.
class VolumeGroup {
 public:
  virtual ~VolumeGroup() = default;

  // The id of the volume that is mounted at the path, also of one whose disk is gone.
  // FAILED_PRECONDITION: none is.
  virtual Result<std::string> id_of_mount_point(const support::Path& path) = 0;

  // Unmounts it. FAILED_PRECONDITION: another one is mounted there, or somebody uses it.
  virtual Result<void> unmount(const std::string& id, const support::Path& path) = 0;
};

// Unmounts the volume that is mounted at the path. FAILED_PRECONDITION: what is mounted there is no
// volume, or the volume group cannot be asked. Errors are those of removing the path.
Result<void> unmount_volume(VolumeGroup& volumes, const support::Path& path);

}  // namespace longshore::filesystem
