// A file whose server is a thread of the test, which falls silent when it is told to: FUSE. A loop
// device on it is a disk that hangs. For tests that run contained (support/contained.cc).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/temporary_directory.h"

namespace longshore::test {

// Threads: what is public from any. Owner: outlives the loop device on it.
class ServedFile {
 public:
  // Whether the kernel has FUSE, and lets this process use it.
  static bool is_possible();

  // Throws std::runtime_error when the system refuses.
  explicit ServedFile(uint64_t bytes);
  ServedFile(const ServedFile&) = delete;
  ServedFile& operator=(const ServedFile&) = delete;
  // Who hangs gets an error.
  ~ServedFile();

  std::string path() const { return point_ + "/disk"; }

  // From now on whoever reads or writes it hangs, until it answers again.
  void fall_silent();
  void answer_again();
  // Whether somebody hangs.
  bool is_awaited() const;

 private:
  void serve();
  void answer(const std::vector<char>& request);
  void reply(uint64_t id, int error, const void* data = nullptr, size_t size = 0) const;

  const TemporaryDirectory directory_;
  const std::string point_;
  FileDescriptor content_;
  FileDescriptor device_;
  FileDescriptor wakes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_silent_ = false;
  bool is_over_ = false;
  std::thread server_;
};

}  // namespace longshore::test
