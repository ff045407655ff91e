// A disk's device node, opened and known to be that disk's, and the lock that keeps others away
// while it is changed.
#pragma once

#include <string>
#include <string_view>

#include "longshore/deadline.hpp"
#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"

namespace longshore::block {

// Opens a block device's node. `flags` are open's. FAILED_PRECONDITION: what the node leads to is
// another device, or a disk of another number (it was replaced since it was looked up).
Result<FileDescriptor> open_node(const std::string& node, dev_t device, uint32_t disk_number,
                                 int flags, std::string_view operation);

inline Result<FileDescriptor> open_disk(const Disk& disk, int flags, std::string_view operation) {
  return open_node(disk.node, disk.device, disk.number, flags, operation);
}

// Holds the BSD lock on the whole disk: udev's protocol, heeded by udev, by systemd, by util-linux
// and by every agent on the node, older ones and other processes too.
//
// The lock is the descriptor's: a child that inherits it (mkfs) keeps the disk locked to its own
// end, also when the agent is killed meanwhile.
class DiskLock {
 public:
  // Waits while another holds it, as long as the deadline allows and at most 30 seconds; one that
  // is exceeded already is an error, so that a call that is over begins nothing.
  // ABORTED: another still holds it.
  static Result<DiskLock> take(const Disk& disk, const Deadline& deadline,
                               std::string_view operation);

  // Open for reading; closing it ends the lock.
  const FileDescriptor& descriptor() const { return disk_; }

 private:
  explicit DiskLock(FileDescriptor disk) : disk_(std::move(disk)) {}

  FileDescriptor disk_;
};

}  // namespace longshore::block
