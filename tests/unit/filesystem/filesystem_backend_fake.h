// A filesystem in memory that keeps the contract of FilesystemBackend: for tests of what stands
// above, and run through the same suite as the real one.
//
// Threads: any number at once; one lock.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "filesystem/filesystem_backend.h"
#include "support/allowed_roots.h"

namespace longshore::filesystem {

class FilesystemBackendFake final : public FilesystemBackend {
 public:
  // As many links are followed in a row as by the backend of this node's system.
#if defined(_WIN32)
  static constexpr int kMaxLinks = 256;
#else
  static constexpr int kMaxLinks = 40;
#endif

  // The allowed roots exist, as directories.
  explicit FilesystemBackendFake(support::AllowedRoots roots);

  // What a test puts there, by absolute path, in place of whatever has the name.
  void put(const std::string& path, EntryKind kind, const std::string& link_text = {});
  // A volume is mounted there, or is so no longer and leaves a directory.
  void mount_volume(const std::string& path, const std::string& id) {
    put(path, EntryKind::kMountPoint, id);
  }
  void unmount_volume(const std::string& path) { put(path, EntryKind::kDirectory); }
  // What a test finds there, links not followed.
  EntryKind inspect(const std::string& path) const;

  // Nothing in memory hangs.
  std::string bulkhead_of(const support::Path&, support::LastLink) override { return {}; }
  Result<EntryKind> kind_of(const support::Path& path, const Deadline& deadline) override;
  Error absence_of(const support::Path& path, std::string_view operation,
                   const Deadline& deadline) override;
  Result<bool> leads_somewhere(const support::Path& path, const Deadline& deadline) override;
  Result<std::string> read_link(const support::Path& path, const Deadline& deadline) override;
  Result<void> make_directories(const support::Path& path, const Deadline& deadline) override;
  Result<void> create_link(const support::Path& source, const support::Path& link,
                           const Deadline& deadline) override;
  Result<void> remove_entry(const support::Path& path, const Deadline& deadline) override;
  Result<void> remove_tree(const support::Path& path, const Deadline& deadline) override;
  Result<bool> may_be_volume(const support::Path& path, const Deadline& deadline) override;
  Result<void> remove_contents(const support::Path& path, const Deadline& deadline) override;

 private:
  struct Node {
    EntryKind kind;
    std::string link_text;  // of a mount point the id of the volume, "" if it is none
  };
  // By absolute path, as POSIX writes it on every node; what is below a directory follows it.
  using Nodes = std::map<std::string, Node>;

  EntryKind kind_at(const std::string& path) const;
  Result<std::string> resolve(const support::Path& path, const char* operation,
                              bool follow_last) const;
  std::error_code walk(std::deque<std::string> names, bool follow_last, std::string& here) const;
  std::error_code enter_root(std::deque<std::string>& names, std::string& here) const;
  Result<void> remove_below(const std::string& real, const support::Path& path,
                            const Deadline& deadline);
  // As RootedOpener has them; of several links in a row the first is told.
  std::optional<std::string> dangling_link(const support::Path& path) const;
  Error explained(Error error, const support::Path& path) const;
  Error failure(const support::Path& path, const char* operation, std::errc error) const;

  const support::AllowedRoots roots_;
  mutable std::mutex mutex_;
  Nodes nodes_;
};

}  // namespace longshore::filesystem
