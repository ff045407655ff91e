// A filesystem in memory that keeps the contract of FilesystemBackend: for tests of what stands
// above, and run through the same suite as the real one.
//
// Threads: any number at once; one lock.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "filesystem/filesystem_backend.h"
#include "support/allowed_roots.h"

namespace longshore::filesystem {

class FilesystemBackendFake final : public FilesystemBackend {
 public:
  // The allowed roots exist, as directories.
  explicit FilesystemBackendFake(support::AllowedRoots roots);

  // What a test puts there, by absolute path, in place of whatever has the name.
  void put(const std::string& path, EntryKind kind, const std::string& link_text = {});
  // What a test finds there, links not followed.
  EntryKind inspect(const std::string& path) const;

  // Nothing in memory hangs.
  std::string bulkhead_of(const support::PosixPath&) override { return {}; }
  Result<EntryKind> kind_of(const support::PosixPath& path) override;
  Result<bool> leads_somewhere(const support::PosixPath& path) override;
  Result<std::string> read_link(const support::PosixPath& path) override;
  Result<void> make_directories(const support::PosixPath& path) override;
  Result<void> create_link(const support::PosixPath& source,
                           const support::PosixPath& link) override;
  Result<void> remove_entry(const support::PosixPath& path) override;
  Result<void> remove_tree(const support::PosixPath& path, const Deadline& deadline) override;
  Result<void> remove_contents(const support::PosixPath& path, const Deadline& deadline) override;

 private:
  struct Node {
    EntryKind kind;
    std::string link_text;
  };
  // By absolute path; what is below a directory follows it.
  using Nodes = std::map<std::string, Node>;

  EntryKind kind_at(const std::string& path) const;
  Result<std::string> resolve(const support::PosixPath& path, const char* operation,
                              bool follow_last) const;
  std::error_code walk(std::deque<std::string> names, bool follow_last, std::string& here) const;
  std::error_code enter_root(std::deque<std::string>& names, std::string& here) const;
  Result<void> remove_below(const std::string& real, const support::PosixPath& path,
                            const Deadline& deadline);
  Error failure(const support::PosixPath& path, const char* operation, std::errc error) const;

  const support::AllowedRoots roots_;
  mutable std::mutex mutex_;
  Nodes nodes_;
};

}  // namespace longshore::filesystem
