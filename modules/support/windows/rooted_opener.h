// From a checked path to the thing itself, without ever leaving the allowed roots: what
// linux/rooted_opener.h does with openat2.
//
// A path is followed name by name, each opened in the handle of its directory, so that nothing is
// followed that has not been looked at. Symbolic links and junctions on the way are followed as
// long as they stay within the allowed roots. A volume that is mounted on the way is entered if the
// mount manager knows it at an allowed path: then all that is on it may be reached anyway. What
// only looks like its mount point, as anybody may make it who may make a junction, leads out.
//
// What comes out are opened files, so that what is done next is done to what was checked. Whoever
// renames directories meanwhile can make the resolution fail, never make it leave the roots.
//
// Who may make links may make a path of as many names as they like out of a short one. So a path is
// gone along once for a question, whatever is missing on it; no more names are followed than
// RootedWalk::kMostSteps, which is answered as too many links are; and the deadline is looked at
// before each name.
//
// Threads: immutable; a root is opened anew for every path. Owner: its FileSystemCalls outlive it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/allowed_roots.h"
#include "support/windows/file_system_calls.h"

namespace longshore::support {

// A name in an opened directory.
struct DirectoryEntry {
  std::unique_ptr<OpenFile> directory;
  std::wstring name;
};

// Where a path leads.
struct Destination {
  std::unique_ptr<OpenFile> opened;  // or none, and
  std::string outside;               // the absolute path out of the roots that a link led to
};

// Where something is missing on a path, by no link's fault.
struct MissingPlace {
  std::unique_ptr<OpenFile> directory;  // the last that is there
  std::vector<std::wstring> names;      // those that lead on from there, at least one
};

class RootedOpener {
 public:
  RootedOpener(FileSystemCalls& calls, AllowedRoots roots)
      : calls_(calls), roots_(std::move(roots)) {}

  const AllowedRoots& roots() const { return roots_; }

  // Opens what the path leads to, every link followed and every volume entered. The path lies
  // within a root. Errors: what the system says (Error::system(), see file_error.h),
  // PERMISSION_DENIED for what leads out of the roots, and what the deadline says. `operation`
  // completes "cannot ...".
  Result<std::unique_ptr<OpenFile>> open(const WindowsPath& path, FileAccess access,
                                         std::string_view operation,
                                         const Deadline& deadline = {}) const;

  // The same, and where a link leads out of the roots by an absolute path that path, with what is
  // behind it in `path`: nobody has looked at it. "\\server\share\a" for a link to a share.
  Result<Destination> follow(const WindowsPath& path, FileAccess access, std::string_view operation,
                             const Deadline& deadline = {}) const;

  // Opens what has the path's last name: a link, a junction or a mount point there itself.
  Result<std::unique_ptr<OpenFile>> open_unfollowed(const WindowsPath& path, FileAccess access,
                                                    std::string_view operation,
                                                    const Deadline& deadline = {}) const;

  // Opens the directory that holds the path's last name, which need not exist. The path is no
  // allowed root.
  Result<DirectoryEntry> entry(const WindowsPath& path, std::string_view operation,
                               const Deadline& deadline = {}) const;

  // Of a path on which something is missing: the link whose target it is that is missing, in words.
  // Nothing: no link leads there, nothing is missing any more, or the deadline was reached.
  std::optional<std::string> dangling_link(const WindowsPath& path,
                                           const Deadline& deadline = {}) const;

  // Of a path that cannot be opened because something is missing: a directory was looked into that
  // has no such name. Nothing where a link leads nowhere, or nothing is missing any more. Errors as
  // of open(), also that the allowed root itself is not there.
  Result<std::optional<MissingPlace>> missing_place(const WindowsPath& path,
                                                    std::string_view operation,
                                                    const Deadline& deadline = {}) const;

  // An error of one of these, for those who wait for the answer: where something is missing because
  // a link leads nowhere, the cause is that link. Costs a walk along the path.
  Error explained(Error error, const WindowsPath& path, const Deadline& deadline = {}) const;

  // The error of an operation within the roots that the system answered with `error`.
  Error failure(const WindowsPath& path, std::string_view operation,
                const std::error_code& error) const;

  // The same of a walk of one's own, which the deadline may have ended.
  Error failure_of_walk(const WindowsPath& path, std::string_view operation,
                        const Deadline& deadline, const std::error_code& error,
                        bool is_of_root) const;

 private:
  FileSystemCalls& calls_;
  AllowedRoots roots_;
};

}  // namespace longshore::support
