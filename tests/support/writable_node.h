// For tests that run contained (support/contained.cc), where /dev is read-only: the node of one of
// their own disks, on which a record of its state can be kept (trusted.longshore.offline). The rest
// of /dev stays as it is.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>

#include <stdexcept>
#include <string>

#include "tests/support/bind_mount.h"

namespace longshore::test {

class WritableNode {
 public:
  explicit WritableNode(const std::string& node) : mount_(node, node) {
    mount_attr open{};
    open.attr_clr = MOUNT_ATTR_RDONLY;
    if (::mount_setattr(AT_FDCWD, node.c_str(), 0, &open, sizeof(open)) != 0) {
      throw std::runtime_error("cannot make writable " + node);
    }
  }

 private:
  BindMount mount_;
};

}  // namespace longshore::test
