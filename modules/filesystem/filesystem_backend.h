// What the filesystem group needs of the operating system.
//
// Every path given here is checked and lies within an allowed root. Each function holds to the rule
// of the roots: links on the way are followed as long as they stay within the allowed roots, and a
// link that leads out is PERMISSION_DENIED. Errors name the operation, the path and what the system
// answered. The deadline ends what takes many steps between two of them.
//
// Threads: any number at once. Two mutations of one path may meet; each then ends as if it had come
// first or second.
#pragma once

#include <string>
#include <string_view>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/bulkhead.h"
#include "support/path.h"

namespace longshore::filesystem {

// What has a name. A mount point is kMountPoint whatever is mounted on it.
enum class EntryKind { kAbsent, kDirectory, kFile, kLink, kMountPoint };

class FilesystemBackend {
 public:
  virtual ~FilesystemBackend() = default;

  // What a call for the path would hang on, should it hang: the server or filesystem behind it, as
  // far as that is known without touching what may hang. "": nothing but the path. Never hangs.
  virtual std::string bulkhead_of(const support::Path& path, support::LastLink last) = 0;

  // What has this name; a link at the end is not followed. kAbsent also when something on the way
  // is missing or is no directory.
  virtual Result<EntryKind> kind_of(const support::Path& path, const Deadline& deadline) = 0;

  // Why kind_of() says kAbsent, as NOT_FOUND: a link on the way that leads nowhere is told from
  // there being none. `operation` completes "cannot ...".
  virtual Error absence_of(const support::Path& path, std::string_view operation,
                           const Deadline& deadline) = 0;

  // Whether something is there when every link is followed, the last one too. Links in a circle
  // lead nowhere.
  virtual Result<bool> leads_somewhere(const support::Path& path, const Deadline& deadline) = 0;

  // The text of a link, as it was made.
  virtual Result<std::string> read_link(const support::Path& path, const Deadline& deadline) = 0;

  // Makes the directory and what is missing above it; a directory that exists is success.
  // ALREADY_EXISTS: something else has the name.
  virtual Result<void> make_directories(const support::Path& path, const Deadline& deadline) = 0;

  // Makes a link whose text is `source`. ALREADY_EXISTS: something has the name.
  virtual Result<void> create_link(const support::Path& source, const support::Path& link,
                                   const Deadline& deadline) = 0;

  // Removes a file, a link or an empty directory. NOT_FOUND: nothing has the name.
  // FAILED_PRECONDITION: a directory that is not empty, or a mount point. (Where the system takes
  // a mount point away itself and leaves the volume alone, as Windows does, that is success.)
  virtual Result<void> remove_entry(const support::Path& path, const Deadline& deadline) = 0;

  // Removes whatever has the name, a directory with all it holds; nothing there is success. Never
  // follows a link, never enters a mount: FAILED_PRECONDITION if there is one, and then nothing has
  // been removed (unless it was mounted during the call; and on Windows a mount point in the tree
  // goes as in remove_entry()). The deadline ends it between two entries.
  virtual Result<void> remove_tree(const support::Path& path, const Deadline& deadline) = 0;

  // Whether the path is a mount point that a volume of the volume group may be mounted on: that
  // shows the whole of a filesystem on a disk, and no part of one (a bind mount).
  virtual Result<bool> may_be_volume(const support::Path& path, const Deadline& deadline) = 0;

  // As remove_tree() for what a directory holds. The directory itself stays; it may be a mount
  // point, and a link at the end of the path is followed to it.
  virtual Result<void> remove_contents(const support::Path& path, const Deadline& deadline) = 0;
};

}  // namespace longshore::filesystem
