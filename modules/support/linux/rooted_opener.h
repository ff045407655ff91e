// From a checked path to the thing itself, without ever leaving the allowed roots.
//
// Links on the way are followed as long as they stay inside: the kernel does it for links that stay
// below the root they are in (openat2, RESOLVE_BENEATH); a link with an absolute text, as CSI
// drivers make them, is followed here name by name and must lead into an allowed root. Whoever
// renames directories meanwhile can make the resolution fail, never make it leave the roots.
//
// What comes out are descriptors, so that what is done next is done to what was checked.
//
// Threads: immutable; a root is opened anew for every path, so that one that was mounted or made
// again in the meantime is seen as it is now.
#pragma once

#include <string>
#include <string_view>
#include <utility>

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

class RootedOpener {
 public:
  explicit RootedOpener(AllowedRoots roots) : roots_(std::move(roots)) {}

  const AllowedRoots& roots() const { return roots_; }

  // Opens (O_PATH) what the path leads to, every link followed. The path lies within a root.
  // Errors: what the system says (Error::system()), and PERMISSION_DENIED for a link that leads
  // out of the roots. `operation` completes "cannot ...".
  Result<FileDescriptor> open(const PosixPath& path, std::string_view operation) const;

  // Opens the directory that holds the path's last name and leaves the name unfollowed.
  Result<DirectoryEntry> entry(const PosixPath& path, std::string_view operation) const;

  // The error of an operation within the roots that the system answered with `error`.
  Error failure(const PosixPath& path, std::string_view operation, std::error_code error) const;

 private:
  Result<FileDescriptor> open_root_of(const PosixPath& path, std::string_view operation) const;

  AllowedRoots roots_;
};

// Opens a name in a directory without following anything. -1 (errno) on failure, as openat2.
// With `same_mount` a mount point is refused with EXDEV.
FileDescriptor open_unfollowed(const FileDescriptor& directory, const std::string& name, int flags,
                               bool same_mount = false);

}  // namespace longshore::support
