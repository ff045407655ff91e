// The lock by which an agent tells another one that the state directory has an owner: two would
// undo each other's work on the same disks.
//
// On Linux it is a record lock (fcntl(2)) on a byte of <state_dir>/.lock: the kernel names who has
// it, and it ends with the process, however that ends. A process that was killed ends late where
// the kernel holds one of its threads. It does nothing any more, so the next owner takes the next
// byte.
//
// A process loses its record locks when it closes any descriptor of the file: an agent opens it
// nowhere else, and one process has the lock of a folder once: several agents may be embedded in
// it. Programs that the agent starts do not inherit them.
//
// On Windows it is a lock on a byte of the same file (LockFileEx), which says in its text who that
// is.
//
// Threads: `take` any, a lock one at a time. Owner: the agent.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#if defined(_WIN32)
#include "longshore/windows/handle.hpp"
#else
#include "longshore/linux/file_descriptor.hpp"
#endif

#include "longshore/result.hpp"

namespace longshore::files {

class StateLock {
 public:
  // Makes the folder if it is not there. An error: another process, or another agent in this one,
  // has the lock, or the folder is one that others can change. Where the system does not let it
  // lock, it holds nothing, and warns.
  static Result<StateLock> take(const std::string& state_dir);

  // The process that has it and can still do something; 0: one that this process does not see, as
  // from within a container. Nothing: there is none, or nobody can tell.
  static std::optional<int> owner_of(const std::string& state_dir);

  // What an administrator should know though the agent may go on; may be empty.
  const std::string& warning() const { return warning_; }

 private:
#if defined(_WIN32)
  using LockedFile = Handle;
#else
  using LockedFile = FileDescriptor;
#endif
  StateLock(std::shared_ptr<const void> claim, LockedFile file, std::string warning)
      : claim_(std::move(claim)), file_(std::move(file)), warning_(std::move(warning)) {}

  std::shared_ptr<const void> claim_;  // that of this process; outlives the file
  LockedFile file_;
  std::string warning_;
};

}  // namespace longshore::files
