#include "iscsi/linux/held_disks.h"

#include <unistd.h>

#include "support/linux/block/disk_use.h"

namespace longshore::iscsi {

using block::Disk;
using block::DiskLock;

Result<HeldDisks> HeldDisks::take(const block::BlockDevices& devices,
                                  const std::vector<Disk>& disks, const Deadline& deadline,
                                  std::string_view operation) {
  HeldDisks all;
  for (const Disk& disk : disks) {
    if (!devices.is_reachable(disk)) {
      if (Result<void> unused = block::check_unused(devices, disk, operation); !unused) {
        return unused.error();
      }
      continue;
    }
    Result<DiskLock> lock = DiskLock::take(disk, deadline, operation);
    if (!lock) return std::move(lock).error();
    Result<FileDescriptor> exclusive = block::open_unused(devices, disk, operation);
    if (!exclusive) return std::move(exclusive).error();
    if (const std::error_code error = error_unless(::fsync(exclusive->get()) == 0)) {
      return Error(StatusCode::kUnknown, std::string(operation), disk.node).because(error);
    }
    all.held_.push_back({*std::move(lock), *std::move(exclusive)});
  }
  return all;
}

}  // namespace longshore::iscsi
