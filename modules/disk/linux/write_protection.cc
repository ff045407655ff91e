#include "disk/linux/write_protection.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <string>

#include "support/linux/block/opened_disk.h"

namespace longshore::disk {

using block::BlockDevices;
using block::Disk;
using block::KernelPartition;

namespace {

constexpr const char* kClear = "make writable";

Result<void> clear_flag(const FileDescriptor& opened, const std::string& node) {
  const int off = 0;
  const std::error_code error = error_unless(::ioctl(opened.get(), BLKROSET, &off) == 0);
  if (!error) return {};
  // Another error is the driver's: a snapshot, say, that is never written to.
  if (error != std::errc::permission_denied && error != std::errc::operation_not_permitted) {
    return {};
  }
  return Error(StatusCode::kPermissionDenied, kClear, node)
      .because(error)
      .advise("clear_read_only = true asks for CAP_SYS_ADMIN");
}

}  // namespace

bool is_write_protected(const BlockDevices& devices, const Disk& disk) {
  return disk.read_only ||
         std::ranges::any_of(devices.partitions(disk), &KernelPartition::read_only);
}

Result<void> clear_write_protection(const BlockDevices& devices, const Disk& disk,
                                    const FileDescriptor& opened) {
  if (auto cleared = clear_flag(opened, disk.node); !cleared) return cleared;
  for (const KernelPartition& partition : devices.partitions(disk)) {
    const auto node =
        block::open_node(partition.node, partition.device, disk.number, O_RDONLY, kClear);
    if (!node) return node.error();
    if (auto cleared = clear_flag(*node, partition.node); !cleared) return cleared;
  }
  return {};
}

}  // namespace longshore::disk
