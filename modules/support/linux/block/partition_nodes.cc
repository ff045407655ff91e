#include "support/linux/block/partition_nodes.h"

#include <linux/blkpg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace longshore::block {

namespace {

std::error_code tell_kernel(const FileDescriptor& disk, int operation,
                            const TablePartition& partition) {
  blkpg_partition told{};
  told.pno = static_cast<int>(partition.number);
  const ByteRange range = stretch_of(partition);
  told.start = static_cast<long long>(range.offset);
  told.length = static_cast<long long>(range.size);
  blkpg_ioctl_arg argument{};
  argument.op = operation;
  argument.datalen = sizeof(told);
  argument.data = &told;
  return error_unless(::ioctl(disk.get(), BLKPG, &argument) == 0);
}

std::optional<KernelPartition> find(const BlockDevices& devices, const Disk& disk,
                                    uint32_t number) {
  const auto partitions = devices.partitions(disk);
  const auto found = std::ranges::find(partitions, number, &KernelPartition::number);
  return found == partitions.end() ? std::nullopt : std::optional(*found);
}

// What an older table left in the kernel and stands in the way. It keeps those that are in use.
void remove_overlapping(const BlockDevices& devices, const Disk& disk, const FileDescriptor& opened,
                        const TablePartition& partition) {
  for (const KernelPartition& other : devices.partitions(disk)) {
    const bool overlaps = other.start < partition.start + partition.sectors &&
                          partition.start < other.start + other.sectors;
    if (!overlaps || other.number == partition.number) continue;
    static_cast<void>(tell_kernel(opened, BLKPG_DEL_PARTITION, {.number = other.number}));
  }
}

std::string name_of(const Disk& disk, const TablePartition& partition) {
  return "partition " + std::to_string(partition.number) + " of " + disk.node;
}

}  // namespace

Result<KernelPartition> ensure_kernel_partition(const BlockDevices& devices, const Disk& disk,
                                                const FileDescriptor& opened,
                                                const TablePartition& partition) {
  constexpr const char* kOperation = "tell the kernel of";
  auto known = find(devices, disk, partition.number);
  if (known && known->start == partition.start && known->sectors == partition.sectors) {
    return *known;
  }
  std::error_code error;
  if (known && known->start == partition.start && known->sectors < partition.sectors) {
    error = tell_kernel(opened, BLKPG_RESIZE_PARTITION, partition);
  } else {
    if (known) error = tell_kernel(opened, BLKPG_DEL_PARTITION, partition);
    remove_overlapping(devices, disk, opened, partition);
    if (!error) error = tell_kernel(opened, BLKPG_ADD_PARTITION, partition);
  }
  known = find(devices, disk, partition.number);
  // Another agent or udev may have been quicker; what counts is how it is now.
  if (known && known->start == partition.start && known->sectors == partition.sectors) {
    return *known;
  }
  Error failure = Error(StatusCode::kFailedPrecondition, kOperation, name_of(disk, partition));
  if (!error) return std::move(failure).because("it took no notice");
  return std::move(failure).because(error).advise(
      error == std::errc::device_or_resource_busy
          ? "what the kernel takes for this partition is another range of the disk and in use"
          : "the table may be damaged");
}

Result<void> wait_for_node(const KernelPartition& partition, const Deadline& deadline) {
  constexpr const char* kOperation = "wait for the node";
  const std::string& node = partition.node;
  const auto last = Deadline::Clock::now() + std::chrono::seconds(10);
  for (auto pause = std::chrono::milliseconds(1);;
       pause = std::min(pause * 2, std::chrono::milliseconds(50))) {
    struct stat status {};
    if (::stat(node.c_str(), &status) == 0 && S_ISBLK(status.st_mode) &&
        status.st_rdev == partition.device) {
      return {};
    }
    if (const auto exceeded = deadline.exceeded(kOperation, node)) return *exceeded;
    if (Deadline::Clock::now() >= last) {
      return Error(StatusCode::kDeadlineExceeded, kOperation, node)
          .because("it did not appear within 10 seconds")
          .advise("devtmpfs or udev makes it; see whether they run");
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace longshore::block
