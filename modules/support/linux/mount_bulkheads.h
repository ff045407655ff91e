// What a call for a path would hang on, found without touching the path, which might hang itself.
//
// Asks the kernel's list of mounts of this process's namespace, read again only when the kernel
// says that it changed: a call costs one poll, which waits for nothing, and a search in memory.
//
// Links in a path are followed as long as they lie where nothing hangs, and only if something is
// mounted in the roots that might. A link that lies on what might hang itself counts there,
// wherever it leads. Which mounts these are is told in mount_keys.h.
//
// Threads: any number at once; one lock, not held while a key is looked for. Owner: a backend.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "support/allowed_roots.h"
#include "support/bulkhead.h"
#include "support/linux/mount_keys.h"
#include "support/posix_path.h"

namespace longshore::support {

class MountBulkheads {
 public:
  // `roots`: where the paths lie.
  explicit MountBulkheads(AllowedRoots roots, std::string sysfs_root = "/sys");

  // For Context::enter_bulkhead. "": nothing is known but the path; so it is of all paths while the
  // list cannot be read.
  std::string key_of(const PosixPath& path, LastLink last = LastLink::kIsFollowed);

  // What the list says now: another object only if it changed.
  std::shared_ptr<const MountKeys> current();

 private:
  // And where they lead, if they are links.
  AllowedRoots roots_among(const std::vector<Mount>& mounts) const;

  const AllowedRoots roots_;
  const std::string sysfs_root_;
  const FileDescriptor table_;
  std::mutex mutex_;
  bool is_stale_ = true;
  std::shared_ptr<const MountKeys> keys_ = std::make_shared<MountKeys>();
};

}  // namespace longshore::support
