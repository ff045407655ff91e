// Open-iscsi's own lock on its database, as a process that may be killed at any point can hold it.
//
// Open-iscsi locks by making the hard link lock.write to the file lock beside it: whoever gets
// EEXIST waits. Such a link tells nothing of its owner and outlives it. So here the link is made to
// a file of our own, longshore, on which its maker holds a BSD lock: a link to that file whose BSD
// lock is free was left by an agent that was killed, and is taken over. To open-iscsi it is a link
// like any other.
//
// A link of open-iscsi's that nobody made or removed for the whole patience was left by an iscsiadm
// that was killed; it is replaced. Open-iscsi itself goes on without the lock then, and removes
// whatever link there is when it is done, ours too: one that is held for longer than 30 s can be
// lost, and is not removed here if it is not ours any more.
//
// Threads and processes: any number may ask. Owner: one scope; its end frees the lock.
#pragma once

#include <chrono>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::iscsi {

class DatabaseLock {
 public:
  // Waits while others hold it, at most `patience`: open-iscsi itself holds it for the time of
  // reading or writing a few files. UNAVAILABLE: another agent still does, or others one after the
  // other. `folder` is made if its parent is there.
  static Result<DatabaseLock> take(const std::string& folder, std::chrono::milliseconds patience);

  // Whether an agent holds the lock, or was killed while it did.
  static bool is_of_agent(const std::string& folder);

  DatabaseLock(DatabaseLock&& other) noexcept = default;
  DatabaseLock& operator=(DatabaseLock&&) = delete;
  ~DatabaseLock();

 private:
  DatabaseLock(std::string link, FileDescriptor ours)
      : link_(std::move(link)), ours_(std::move(ours)) {}

  std::string link_;
  FileDescriptor ours_;  // with the BSD lock on it; not open after a move
};

}  // namespace longshore::iscsi
