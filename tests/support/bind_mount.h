// Mounts for tests, in a mount namespace of the test process's own.
#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace longshore::test {

// Whether this process may mount. The first call moves it into a mount namespace of its own, so
// that whatever goes wrong with it, its mounts end; threads made before stay outside.
inline bool can_mount() {
  static const bool may = ::unshare(CLONE_NEWNS) == 0 &&
                          ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  if (!may) std::puts("SKIPPED: this process may not mount (it needs CAP_SYS_ADMIN)");
  return may;
}

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
