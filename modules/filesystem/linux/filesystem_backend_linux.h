// The filesystem group on Linux: openat2 below the allowed roots, statx, unlinkat.
//
// Threads: any number at once; no state but the roots and what is mounted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filesystem/filesystem_backend.h"
#include "support/allowed_roots.h"
#include "support/linux/mount_bulkheads.h"
#include "support/linux/rooted_opener.h"

namespace longshore::filesystem {

class FilesystemBackendLinux final : public FilesystemBackend {
 public:
  // `link_roots`: where the module smb mounts shares. leads_somewhere() is true of links that lead
  // to a share that is mapped, over any number of links in the allowed roots, and never asks their
  // servers, so it does not look at what lies in them.
  explicit FilesystemBackendLinux(support::AllowedRoots roots,
                                  std::vector<support::PosixPath> link_roots = {})
      : mounts_(roots), opener_(std::move(roots)), link_roots_(std::move(link_roots)) {}

  std::string bulkhead_of(const support::PosixPath& path, support::LastLink last) override {
    return mounts_.key_of(path, last);
  }
  Result<EntryKind> kind_of(const support::PosixPath& path, const Deadline& deadline) override;
  Error absence_of(const support::PosixPath& path, std::string_view operation,
                   const Deadline& deadline) override;
  Result<bool> leads_somewhere(const support::PosixPath& path, const Deadline& deadline) override;
  Result<std::string> read_link(const support::PosixPath& path, const Deadline& deadline) override;
  Result<void> make_directories(const support::PosixPath& path, const Deadline& deadline) override;
  Result<void> create_link(const support::PosixPath& source, const support::PosixPath& link,
                           const Deadline& deadline) override;
  Result<void> remove_entry(const support::PosixPath& path, const Deadline& deadline) override;
  Result<void> remove_tree(const support::PosixPath& path, const Deadline& deadline) override;
  Result<bool> may_be_volume(const support::PosixPath& path, const Deadline& deadline) override;
  Result<void> remove_contents(const support::PosixPath& path, const Deadline& deadline) override;

 private:
  using Entry = support::DirectoryEntry;

  Result<EntryKind> kind_of(const support::PosixPath& path, const Entry& entry,
                            std::string_view operation) const;
  // The link that has to be there for this path, out of the allowed roots, to lead to a mapped
  // share: "<link root>/<host>/<share>/current". Nothing: it does not lead to a share.
  std::optional<support::PosixPath> mapping_in(std::string_view outside) const;
  Result<bool> try_to_make(const support::PosixPath& path, const Deadline& deadline) const;
  Result<bool> make_below(support::MissingPlace place, const support::PosixPath& path,
                          const Deadline& deadline) const;
  Result<void> empty(const support::PosixPath& path, const Entry& entry,
                     const Deadline& deadline) const;
  Result<void> unlink(const support::PosixPath& path, const Entry& entry, EntryKind kind) const;

  support::MountBulkheads mounts_;
  support::RootedOpener opener_;
  std::vector<support::PosixPath> link_roots_;
};

}  // namespace longshore::filesystem
