#include "support/linux/block/opened_disk.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace longshore::block {

Result<FileDescriptor> open_node(const std::string& node, dev_t device, uint32_t disk_number,
                                 int flags, std::string_view operation) {
  FileDescriptor opened(::open(node.c_str(), flags | O_CLOEXEC | O_NONBLOCK));
  if (!opened) {
    Error error = Error(StatusCode::kUnknown, std::string(operation), node).because(opened.error());
    if (error.system() == std::errc::device_or_resource_busy) {
      return std::move(error).advise("something uses it: a mount, dm or md");
    }
    return error;
  }
  struct stat status {};
  uint64_t sequence = 0;
  if (::fstat(opened.get(), &status) != 0 || !S_ISBLK(status.st_mode) || status.st_rdev != device ||
      ::ioctl(opened.get(), BLKGETDISKSEQ, &sequence) != 0 || sequence != disk_number) {
    return Error(StatusCode::kFailedPrecondition, std::string(operation), node)
        .because("it is not the disk with number " + std::to_string(disk_number) + " any more")
        .advise("list the disks again");
  }
  return opened;
}

Result<DiskLock> DiskLock::take(const Disk& disk, const Deadline& deadline,
                                std::string_view operation) {
  if (const auto exceeded = deadline.exceeded(std::string(operation), disk.node)) return *exceeded;
  Result<FileDescriptor> opened = open_disk(disk, O_RDONLY, operation);
  if (!opened) return std::move(opened).error();
  // flock has no deadline, so it is asked again and again: seldom more than once, since udev keeps
  // a lock for milliseconds only.
  const auto last = std::min(deadline.time, Deadline::Clock::now() + std::chrono::seconds(30));
  auto pause = std::chrono::milliseconds(1);
  while (const std::error_code error =
             error_unless(::flock(opened->get(), LOCK_EX | LOCK_NB) == 0)) {
    if (error != std::errc::operation_would_block && error != std::errc::interrupted) {
      return Error(StatusCode::kUnknown, std::string(operation), disk.node).because(error);
    }
    if (const auto exceeded = deadline.exceeded(std::string(operation), disk.node))
      return *exceeded;
    if (Deadline::Clock::now() >= last) {
      return Error(StatusCode::kAborted, std::string(operation), disk.node)
          .because("another program has locked the disk")
          .advise("an mkfs that still runs does so; try again when it has ended");
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(50));
  }
  return DiskLock(*std::move(opened));
}

}  // namespace longshore::block
