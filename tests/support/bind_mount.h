// Mounts for tests that run contained (support/contained.cc): in a mount namespace of their own.
#pragma once

#include <sys/mount.h>

#include <stdexcept>
#include <string>

namespace longshore::test {

// `source` bound onto `target`, which exists and is of the same kind.
class BindMount {
 public:
  BindMount(const std::string& source, std::string target) : target_(std::move(target)) {
    if (::mount(source.c_str(), target_.c_str(), nullptr, MS_BIND, nullptr) != 0) {
      throw std::runtime_error("cannot mount on " + target_);
    }
  }
  BindMount(const BindMount&) = delete;
  BindMount& operator=(const BindMount&) = delete;
  ~BindMount() { ::umount2(target_.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH); }

 private:
  std::string target_;
};

}  // namespace longshore::test
