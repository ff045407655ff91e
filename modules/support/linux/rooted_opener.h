// From a checked path to the thing itself, without ever leaving the allowed roots.
//
// Links on the way are followed as long as they stay inside: the kernel does it for links that stay
// below the root they are in (openat2, RESOLVE_BENEATH); a link with an absolute text, as CSI
// drivers make them, is followed here name by name and must lead into an allowed root. Whoever
// renames directories meanwhile can make the resolution fail, never make it leave the roots.
//
// What comes out are descriptors, so that what is done next is done to what was checked.
//
// Who may make links may make a path of as many names as they like out of a short one. So a path is
// gone along once for a question, whatever is missing on it; no more names are followed than
// kMostSteps, which is answered as the kernel answers too many links; and the deadline is looked at
// before each name. One call of the kernel's is not cut short, and follows 40 links at most.
//
// Threads: immutable; a root is opened anew for every path, so that one that was mounted or made
// again in the meantime is seen as it is now.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/allowed_roots.h"

namespace longshore::support {

// A name in an opened directory (O_PATH): what *at() functions take. For an allowed root itself the
// name is the root's whole path, which those functions take as well.
struct DirectoryEntry {
  FileDescriptor directory;
  std::string name;
};

// Where a path leads.
struct Destination {
  FileDescriptor opened;  // (O_PATH); or none, and
  std::string outside;    // the absolute path out of the roots that a link led to
};

// Where something is missing on a path, by no link's fault.
struct MissingPlace {
  FileDescriptor directory;        // the last that is there (O_PATH)
  std::vector<std::string> names;  // those that lead on from there, at least one
};

class RootedOpener {
 public:
  // Names and reopened directories of one walk. A link to a link through the whole depth of a tree
  // takes 2,000.
  static constexpr size_t kMostSteps = 32768;

  explicit RootedOpener(AllowedRoots roots) : roots_(std::move(roots)) {}

  const AllowedRoots& roots() const { return roots_; }

  // Opens (O_PATH) what the path leads to, every link followed. The path lies within a root.
  // Errors: what the system says (Error::system()), PERMISSION_DENIED for a link that leads out of
  // the roots, and what the deadline says. `operation` completes "cannot ...".
  Result<FileDescriptor> open(const PosixPath& path, std::string_view operation,
                              const Deadline& deadline = {}) const;

  // The same, and where an absolute link leads out of the roots the path there, as the link's text
  // and what is behind it in the path say: nobody has looked at it. PERMISSION_DENIED remains for
  // relative links that lead out.
  Result<Destination> follow(const PosixPath& path, std::string_view operation,
                             const Deadline& deadline = {}) const;

  // Opens the directory that holds the path's last name and leaves the name unfollowed.
  Result<DirectoryEntry> entry(const PosixPath& path, std::string_view operation,
                               const Deadline& deadline = {}) const;

  // Of a path that cannot be opened because something is missing: a directory was looked into that
  // has no such name. Nothing where a link leads nowhere, or nothing is missing any more. Errors as
  // of open(), also that the allowed root itself is not there.
  Result<std::optional<MissingPlace>> missing_place(const PosixPath& path,
                                                    std::string_view operation,
                                                    const Deadline& deadline = {}) const;

  // Of a path on which something is missing: the link whose target it is that is missing, in words.
  // Nothing: no link leads there, nothing is missing any more, or the deadline was reached.
  std::optional<std::string> dangling_link(const PosixPath& path,
                                           const Deadline& deadline = {}) const;

  // An error of one of these, for those who wait for the answer: where something is missing
  // (ENOENT) because a link leads nowhere, the cause is that link. Costs a walk along the path.
  Error explained(Error error, const PosixPath& path, const Deadline& deadline = {}) const;

  // The error of an operation within the roots that the system answered with `error`.
  Error failure(const PosixPath& path, std::string_view operation, std::error_code error) const;

 private:
  Result<FileDescriptor> open_root_of(const PosixPath& path, std::string_view operation) const;
  Error failure_of_walk(const PosixPath& path, std::string_view operation, const Deadline& deadline,
                        std::error_code error) const;

  AllowedRoots roots_;
};

// Opens a name in a directory without following anything. With `same_mount` a mount point is
// refused with EXDEV.
FileDescriptor open_unfollowed(const FileDescriptor& directory, const std::string& name, int flags,
                               bool same_mount = false);

}  // namespace longshore::support
