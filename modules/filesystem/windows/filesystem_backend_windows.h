// The filesystem group on Windows: names opened by handles below the allowed roots, reparse points
// told apart by what they say.
//
// A link is a symbolic link or a junction; a mount point is a directory that a volume is mounted
// on. Removing one leaves the volume as it is, so that the volume group need not be asked.
//
// Threads: any number at once; no state but the roots.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "filesystem/filesystem_backend.h"
#include "support/allowed_roots.h"
#include "support/windows/file_system_calls.h"
#include "support/windows/reparse_point.h"
#include "support/windows/rooted_opener.h"

namespace longshore::filesystem {

class FilesystemBackendWindows final : public FilesystemBackend {
 public:
  FilesystemBackendWindows(std::unique_ptr<support::FileSystemCalls> calls,
                           support::AllowedRoots roots)
      : calls_(std::move(calls)), opener_(*calls_, std::move(roots)) {}

  // Nobody is asked for what lies on this node but its own filesystems.
  std::string bulkhead_of(const support::WindowsPath&, support::LastLink) override { return {}; }
  Result<EntryKind> kind_of(const support::WindowsPath& path, const Deadline& deadline) override;
  Error absence_of(const support::WindowsPath& path, std::string_view operation,
                   const Deadline& deadline) override;
  // Of a link to a share its server is asked, which may take as long as Windows waits for servers.
  Result<bool> leads_somewhere(const support::WindowsPath& path, const Deadline& deadline) override;
  Result<std::string> read_link(const support::WindowsPath& path,
                                const Deadline& deadline) override;
  Result<void> make_directories(const support::WindowsPath& path,
                                const Deadline& deadline) override;
  // Of the kind that leads to a directory if the source is one now.
  Result<void> create_link(const support::WindowsPath& source, const support::WindowsPath& link,
                           const Deadline& deadline) override;
  Result<void> remove_entry(const support::WindowsPath& path, const Deadline& deadline) override;
  Result<void> remove_tree(const support::WindowsPath& path, const Deadline& deadline) override;
  Result<bool> may_be_volume(const support::WindowsPath& path, const Deadline& deadline) override;
  Result<void> remove_contents(const support::WindowsPath& path, const Deadline& deadline) override;

 private:
  // What an opened entry is; of a reparse point what it says, too.
  struct Entry {
    EntryKind kind = EntryKind::kAbsent;
    support::ReparsePoint point;
  };

  static Entry look(support::OpenFile& opened, std::error_code& error);
  Result<bool> try_to_make(const support::WindowsPath& path, const Deadline& deadline) const;
  Result<bool> make_below(support::MissingPlace place, const support::WindowsPath& path,
                          const Deadline& deadline) const;
  Result<void> remove(const support::WindowsPath& path, support::OpenFile& opened) const;

  std::unique_ptr<support::FileSystemCalls> calls_;
  support::RootedOpener opener_;
};

}  // namespace longshore::filesystem
