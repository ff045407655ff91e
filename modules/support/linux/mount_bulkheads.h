// What a call for a path would hang on, found without touching the path, which might hang itself.
//
// Asks the kernel's list of mounts of this process's namespace, read again only when the kernel
// says that it changed: a call costs one poll, which waits for nothing, and a search in memory. The
// path is taken by its names alone, so this is an approximation: a path with a link in it that
// leads to another mount counts where the link lies. What that means for the keys is told in
// mount_keys.h.
//
// Threads: any number at once; one lock, not held while a key is looked for. Owner: a backend.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "support/allowed_roots.h"
#include "support/linux/mount_keys.h"
#include "support/posix_path.h"

namespace longshore::support {

class MountBulkheads {
 public:
  // `roots`: where the paths lie.
  explicit MountBulkheads(AllowedRoots roots);

  // For Context::enter_bulkhead. "": nothing is known but the path; so it is of all paths while the
  // list cannot be read.
  std::string key_of(const PosixPath& path);

  // What the list says now: another object only if it changed.
  std::shared_ptr<const MountKeys> current();

 private:
  const AllowedRoots roots_;
  const FileDescriptor table_;
  std::mutex mutex_;
  bool is_stale_ = true;
  std::shared_ptr<const MountKeys> keys_ = std::make_shared<MountKeys>();
};

}  // namespace longshore::support
