// The filesystem group: what its methods mean, on every system and in every wire version.
//
// Every path is checked first, by its text (support/path.h) and against the allowed roots.
// csi-proxy leaves IsSymlink unchecked; here it is checked like the others, because an answer about
// a path outside of the roots tells a caller what lies there. It alone takes a Windows path without
// a drive, as csi-proxy's does.
//
// A mount point is not removed with what is mounted on it, unless that is a volume, which the
// volume group is asked to unmount: only that knows its locks, its disks and what it serves.
//
// Each call says by its bulkhead what it would hang on before the backend touches anything, and is
// UNAVAILABLE if too many hang there already.
//
// Threads: any number at once. Owner: outlives its calls; the backend outlives it.
#pragma once

#include <string>

#include "filesystem/filesystem_backend.h"
#include "filesystem/volume_group.h"
#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/allowed_roots.h"
#include "support/bulkhead.h"

namespace longshore::filesystem {

// What making a link means where the very same link exists.
enum class SameLink { kIsError, kIsSuccess };

class FilesystemService {
 public:
  FilesystemService(support::AllowedRoots roots, FilesystemBackend& backend)
      : roots_(std::move(roots)), backend_(backend) {}

  // Whether anything has the name, be it a link that leads nowhere.
  Result<bool> path_exists(const std::string& path, const support::Bulkhead& bulkhead = {}) const;

  // Makes a directory and those above it; one that exists is success.
  Result<void> make_directory(const std::string& path,
                              const support::Bulkhead& bulkhead = {}) const;

  // Removes one entry, or with `force` a directory with all it holds. Without `force` an absent
  // path is NOT_FOUND, with it success. PERMISSION_DENIED: an allowed root would go with it.
  // A volume that is mounted at the path is unmounted by `volumes` and stays as it is; the empty
  // directory goes. FAILED_PRECONDITION: something else is mounted there, or nobody can be asked.
  Result<void> remove_directory(const std::string& path, bool force, const Deadline& deadline,
                                const support::Bulkhead& bulkhead = {},
                                VolumeGroup* volumes = nullptr) const;

  // Removes all that a directory holds and keeps it. PERMISSION_DENIED: an allowed root lies in it.
  Result<void> remove_contents(const std::string& path, const Deadline& deadline,
                               const support::Bulkhead& bulkhead = {}) const;

  // Makes the link `target`, which leads to `source`; the source need not exist.
  Result<void> create_link(const std::string& source, const std::string& target, SameLink same_link,
                           const support::Bulkhead& bulkhead = {}) const;

  // Whether the path is a mount point, or a link to something that exists. NOT_FOUND: neither is
  // there anything else.
  Result<bool> is_link_or_mount_point(const std::string& path,
                                      const support::Bulkhead& bulkhead = {}) const;

 private:
  // The path checked, and what lies behind it entered: from here on it may be touched.
  Result<support::Path> enter(const std::string& path, const char* operation,
                              const support::Bulkhead& bulkhead,
                              support::LastLink last = support::LastLink::kIsFollowed) const;
  Result<support::Path> enter(Result<support::Path> checked, const support::Bulkhead& bulkhead,
                              support::LastLink last = support::LastLink::kIsFollowed) const;
  // The mount point, the volume on it first.
  Result<void> remove_mount_point(const support::Path& path, bool force, const Deadline& deadline,
                                  VolumeGroup& volumes) const;

  support::AllowedRoots roots_;
  FilesystemBackend& backend_;
};

}  // namespace longshore::filesystem
