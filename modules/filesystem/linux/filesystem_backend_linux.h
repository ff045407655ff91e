// The filesystem group on Linux: openat2 below the allowed roots, statx, unlinkat.
//
// Threads: any number at once; no state but the roots.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "filesystem/filesystem_backend.h"
#include "support/allowed_roots.h"
#include "support/linux/beneath.h"

namespace longshore::filesystem {

class FilesystemBackendLinux final : public FilesystemBackend {
 public:
  // `link_roots`: where links may lead besides, for leads_somewhere() alone.
  explicit FilesystemBackendLinux(const support::AllowedRoots& roots,
                                  const std::vector<support::PosixPath>& link_roots = {})
      : beneath_(roots), following_(roots.with(link_roots)) {}

  Result<EntryKind> kind_of(const support::PosixPath& path) override;
  Result<bool> leads_somewhere(const support::PosixPath& path) override;
  Result<std::string> read_link(const support::PosixPath& path) override;
  Result<void> make_directories(const support::PosixPath& path) override;
  Result<void> create_link(const support::PosixPath& source,
                           const support::PosixPath& link) override;
  Result<void> remove_entry(const support::PosixPath& path) override;
  Result<void> remove_tree(const support::PosixPath& path,
                           const support::CallLimits& limits) override;
  Result<void> remove_contents(const support::PosixPath& path,
                               const support::CallLimits& limits) override;

 private:
  using Entry = support::DirectoryEntry;

  Result<EntryKind> kind_of(const support::PosixPath& path, const Entry& entry,
                            std::string_view operation) const;
  Result<bool> try_to_make(const support::PosixPath& path) const;
  Result<void> empty(const support::PosixPath& path, const Entry& entry,
                     const support::CallLimits& limits) const;
  Result<void> unlink(const support::PosixPath& path, const Entry& entry, EntryKind kind) const;

  support::Beneath beneath_;
  support::Beneath following_;
};

}  // namespace longshore::filesystem
