// A folder that nobody but root and the agent's user can change, held by its descriptor.
//
// The agent runs as root, and its folders may be given to containers. So it never follows a link
// that somebody else may have put in the place of what it has made: it goes down from the root
// folder step by step, looks at each step by a descriptor, and does all else from the last one.
//
//   a folder on the way   root's or the agent's user's, and closed to writes by others; one that is
//                         sticky may be open, as /tmp is, and for an agent that is not root also
//                         root's, as a Pod's emptyDir
//   the last folder       the same, but never open, nor to its group
//   a link on the way     root's or the agent's user's; where it leads to is looked at likewise
//
// Threads: like any value. Owner: who has opened it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::files {

class TrustedFolder {
 public:
  // The error names the step that others could change, or that cannot be had.
  static Result<TrustedFolder> open(const std::string& path);
  // The same; makes what is missing: the last folder with `mode`, whatever the umask says.
  static Result<TrustedFolder> make(const std::string& path, mode_t mode);
  // The same, for a Pod's emptyDir, which is open to others: it gets `mode` too, if it is empty,
  // belongs to this process's user and is not sticky. The way to it is trusted by then. Root's it
  // stays as it is, for folders to be made in by an agent that is not root.
  static Result<TrustedFolder> make_closed(const std::string& path, mode_t mode);

  int descriptor() const { return folder_.get(); }
  // Hands the descriptor to the caller, who closes it.
  [[nodiscard]] int release_descriptor() { return folder_.release(); }
  const std::string& path() const { return path_; }

  // Opens the regular file `name` in it, never through a link. `flags` and `mode` as of open(2).
  Result<FileDescriptor> open_file(const std::string& name, int flags, mode_t mode = 0) const;

 private:
  enum class OpenEnd { kIsRefused, kIsClosed };
  // Makes nothing without a mode.
  static Result<TrustedFolder> walk_to(const std::string& path, std::optional<mode_t> mode,
                                       OpenEnd open_end);
  TrustedFolder(std::string path, FileDescriptor folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;
  FileDescriptor folder_;  // O_PATH
};

// A path that leads to what `descriptor` stands for, links and later changes of names aside.
std::string path_of_descriptor(int descriptor);

}  // namespace longshore::files
