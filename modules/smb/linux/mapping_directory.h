// What is kept of one mapped share below the option `mappings_directory`:
//
//   <host>/<share>/1, 2, ...   where the share is mounted; one of them, but while it is replaced
//   <host>/<share>/current     a link to the one that counts; local links lead through it
//   <host>/<share>/links/1...  a link to each local link that was made
//
// A mount is replaced by another at a directory of its own, to which `current` is then turned in
// one step: no path ever leads to an empty directory, into which a container would write what
// nobody finds again. A mapping that is taken away loses `current` first, for the same reason.
//
// All of it lives below /run, as long as the mounts themselves: after a restart of the node there
// is neither. What is mounted is always asked of the kernel. A link in `links` that leads nowhere,
// or to a local link that leads elsewhere now, counts for nothing; so it may be made before the
// local link is, and a crash in between does no harm. Being links, they are never half written.
//
// Threads: one at a time for a share. Owner: a value; the files are the state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "smb/remote_path.h"
#include "support/posix_path.h"

namespace longshore::smb {

class MappingDirectory {
 public:
  MappingDirectory(const support::PosixPath& mappings_directory, const RemotePath& share);

  const std::string& path() const { return path_; }

  // Where a local link to the remote path leads.
  std::string target_of(const RemotePath& remote) const;
  // The remote path for which target_of() is this text, "//host/share/a"; nothing if there is none.
  static std::optional<std::string> remote_path_in(std::string_view target,
                                                   const support::PosixPath& mappings_directory);
  // Whether a local link that leads there leads to this share.
  bool holds(const std::string& target) const;

  // The directory that `current` leads to, or nothing.
  std::optional<std::string> current() const;
  // A new empty directory for a mount. FAILED_PRECONDITION: others may change mappings_directory,
  // or a link is in its path, by which the kernel would not name the mounts.
  Result<std::string> add_place() const;
  // From now on `current` leads to this place.
  Result<void> turn_to(const std::string& place) const;
  Result<void> remove_current() const;
  // The directories for mounts.
  Result<std::vector<std::string>> places() const;

  // The local links that were made, each once: their paths.
  Result<std::vector<std::string>> recorded_links() const;
  Result<void> record_link(const std::string& local_path) const;
  Result<void> forget_link(const std::string& local_path) const;

  // Removes all that is empty: places, records, the share's and the host's directory.
  void remove_if_unused() const;

 private:
  // Empty also when there is no such directory.
  Result<std::vector<std::string>> numbers_in(const std::string& directory) const;
  Result<void> make() const;

  std::string root_;
  std::string host_directory_;
  std::string path_;
  std::string current_;
  std::string links_;
};

}  // namespace longshore::smb
