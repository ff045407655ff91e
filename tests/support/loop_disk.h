// A disk of a test's own: a sparse file behind a loop device, which needs root.
// loop_devices_needed.cc skips a test program where there are none.
#pragma once

#include <cstdint>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/temporary_directory.h"

namespace longshore::test {

struct LoopDiskOptions {
  uint32_t sector_size = 512;
  bool read_only = false;
  std::string file = {};  // that is there, in place of one of its own
};

// Throws std::runtime_error when the system refuses. Threads: one at a time.
class LoopDisk {
 public:
  using Options = LoopDiskOptions;

  explicit LoopDisk(uint64_t bytes, const Options& options = {});
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;
  // Unmounts nothing: what is mounted keeps the device until it is unmounted, without its file's
  // name.
  ~LoopDisk();

  // "loop8", "/dev/loop8", and the kernel's diskseq.
  const std::string& name() const { return name_; }
  std::string node() const { return "/dev/" + name_; }
  uint32_t number() const { return number_; }
  // The file behind it.
  const std::string& file() const { return file_; }

  // Puts an ext4 on the whole disk.
  void make_filesystem();

  // Makes file and device larger; the device's partitions stay as they are.
  void grow(uint64_t bytes);

  // Takes its partitions and its content, and gives it this size. Nothing of it may be mounted; who
  // else has a partition open is waited for.
  void make_blank(uint64_t bytes);

  // What pulling the disk out is, as far as loop devices can: its partitions and its content go.
  // While one is open or mounted, it and the content stay until the last user closes it.
  void clear();

  // Does so to every loop device whose file lies beneath the directory: those that a killed program
  // left.
  static void clear_all_below(const std::string& directory);

  // Whether the device still has this disk's content.
  bool is_there() const;

 private:
  void attach(const FileDescriptor& file, const Options& options);

  TemporaryDirectory directory_;
  const std::string file_;
  std::string name_;
  uint32_t number_ = 0;
};

}  // namespace longshore::test
