// Filesystems in memory, for tests that run contained (support/contained.cc).
#pragma once

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <stdexcept>
#include <string>

namespace longshore::test {

// Mounted on a directory that exists.
class TmpfsMount {
 public:
  explicit TmpfsMount(std::string point, const std::string& source = "tmpfs")
      : point_(std::move(point)) {
    if (::mount(source.c_str(), point_.c_str(), "tmpfs", 0, nullptr) != 0) {
      throw std::runtime_error("cannot mount on " + point_);
    }
  }
  TmpfsMount(const TmpfsMount&) = delete;
  TmpfsMount& operator=(const TmpfsMount&) = delete;
  ~TmpfsMount() { ::umount2(point_.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH); }

  // What calls for paths on it would hang on (modules/support/linux/mount_keys.h).
  std::string bulkhead() const {
    struct stat status {};
    if (::stat(point_.c_str(), &status) != 0) throw std::runtime_error("cannot see " + point_);
    return "tmpfs " + std::to_string(major(status.st_dev)) + ":" +
           std::to_string(minor(status.st_dev));
  }

 private:
  const std::string point_;
};

}  // namespace longshore::test
