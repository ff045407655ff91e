// A filesystem whose server is there and says nothing, for tests that run contained
// (support/contained.cc): FUSE without anybody who reads its requests.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::test {

// Mounted on a directory that exists. Whoever asks for what lies in it hangs until this object
// goes.
class SilentMount {
 public:
  // Whether the kernel has FUSE, and lets this process use it.
  static bool is_possible() { return ::access("/dev/fuse", R_OK | W_OK) == 0; }

  explicit SilentMount(std::string point)
      : point_(std::move(point)), server_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
    const std::string options =
        "fd=" + std::to_string(server_.get()) + ",rootmode=40000,user_id=0,group_id=0";
    if (::mount("nobody", point_.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
      throw std::runtime_error("cannot mount on " + point_);
    }
  }
  SilentMount(const SilentMount&) = delete;
  SilentMount& operator=(const SilentMount&) = delete;
  ~SilentMount() {
    server_ = FileDescriptor();  // those that hang get an error
    ::umount2(point_.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH);
  }

 private:
  const std::string point_;
  FileDescriptor server_;
};

}  // namespace longshore::test
