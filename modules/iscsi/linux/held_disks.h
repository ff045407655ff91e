// The disks of a target while it is disconnected: nothing uses them, and nothing begins to.
//
// Owner: one scope, that of the logout; its end lets them go. The kernel takes disks away that are
// held so.
#pragma once

#include <string_view>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"
#include "support/linux/block/opened_disk.h"

namespace longshore::iscsi {

class HeldDisks {
 public:
  // FAILED_PRECONDITION, with the user (a mount and its point, a process), if anything uses one of
  // the disks.
  // What the page cache still has is written to them. A disk that the kernel says nothing reaches
  // (its target is lost) is only checked: opening it would wait for the target. Until the kernel
  // sees that, writing waits for a target that has just stopped answering, by default up to two
  // minutes, and looks at no deadline meanwhile.
  static Result<HeldDisks> take(const block::BlockDevices& devices,
                                const std::vector<block::Disk>& disks, const Deadline& deadline,
                                std::string_view operation);

 private:
  struct Held {
    block::DiskLock lock;      // udev's, systemd's and other agents' lock
    FileDescriptor exclusive;  // keeps mounts away, also those of other namespaces
  };

  std::vector<Held> held_;
};

}  // namespace longshore::iscsi
