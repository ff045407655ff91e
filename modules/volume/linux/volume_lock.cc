// What every change of a volume begins with.
#include <sys/stat.h>

#include <algorithm>

#include "support/linux/block/device_content.h"
#include "support/linux/block/disk_use.h"
#include "support/linux/block/offline_record.h"
#include "support/linux/block/partition_nodes.h"
#include "support/linux/block/partition_overlap.h"
#include "volume/linux/volume_backend_linux.h"
#include "volume/linux/volume_content.h"

namespace longshore::volume {

using block::Content;
using block::DiskLock;
using block::KernelPartition;
using support::PosixPath;

namespace {

Error overlapping(const Volume& volume, const block::TablePartition& other,
                  std::string_view operation) {
  return Error(StatusCode::kFailedPrecondition, std::string(operation), volume.id)
      .because("the partition table of " + volume.disk.node + " is damaged: partition " +
               std::to_string(volume.partition->number) + " overlaps partition " +
               std::to_string(other.number))
      .advise("correct the table (sfdisk, gdisk)");
}

}  // namespace

// The allowed roots are the node's own, also where nothing else of it is seen, as in a container.
std::vector<std::string> VolumeBackendLinux::needed_directories() const {
  std::vector<std::string> directories;
  for (const PosixPath& root : opener_.roots().roots()) directories.push_back(root.text());
  return directories;
}

Result<VolumeBackendLinux::Locked> VolumeBackendLinux::lock(const std::string& id,
                                                            const Deadline& deadline,
                                                            std::string_view operation) {
  // A second time if the node had to be waited for, which must not be done with the lock.
  for (int attempt = 0; attempt < 2; ++attempt) {
    Result<Volume> volume = finder_.resolve(id, operation);
    if (!volume) return std::move(volume).error();
    const auto allowed =
        block::check_not_system_disk(devices_, volume->disk, operation, needed_directories());
    if (!allowed) return allowed.error();
    KernelPartition awaited;
    {
      Result<DiskLock> lock = DiskLock::take(volume->disk, deadline, operation);
      if (!lock) return std::move(lock).error();
      // Before the lock was taken, the disk may have been taken offline.
      if (block::is_taken_offline(volume->disk)) {
        return block::offline_disk_refused(volume->disk.number, operation, volume->id);
      }
      if (auto same = check_place(*volume, *lock, operation); !same) {
        return std::move(same).error();
      }
      if (!volume->partition) {
        return Locked{*volume, *std::move(lock), volume->disk.node, volume->disk.device,
                      volume->disk.read_only};
      }
      const auto known = block::ensure_kernel_partition(devices_, volume->disk, lock->descriptor(),
                                                        *volume->partition);
      if (!known) return known.error();
      struct stat status {};
      if (::stat(known->node.c_str(), &status) == 0 && status.st_rdev == known->device) {
        return Locked{*volume, *std::move(lock), known->node, known->device, known->read_only};
      }
      awaited = *known;
    }
    if (Result<void> there = block::wait_for_node(awaited, deadline); !there) return there.error();
  }
  return Error(StatusCode::kAborted, std::string(operation), id)
      .because("its node in /dev comes and goes")
      .advise("try again");
}

// Before the lock was taken, the table or the filesystem on the whole disk may have been made anew.
// What shares its place with another partition is not changed, nor told to the kernel.
Result<void> VolumeBackendLinux::check_place(const Volume& volume, const DiskLock& lock,
                                             std::string_view operation) const {
  bool is_same = false;
  if (volume.partition) {
    const auto partitions = block::read_partitions(lock.descriptor(), volume.disk.node);
    if (!partitions) return partitions.error();
    is_same = std::ranges::find(*partitions, *volume.partition) != partitions->end();
    const auto other = block::overlapped_by(*volume.partition, *partitions);
    if (is_same && other) return overlapping(volume, *other, operation);
  } else {
    const Result<Content> content = read_volume_content(lock.descriptor(), whole(volume.disk),
                                                        volume.disk.node, volume.disk.device);
    if (!content) return content.error();
    is_same = VolumeFinder::plain_id(volume) == "UUID=" + content->uuid;
  }
  if (is_same) return {};
  return Error(StatusCode::kAborted, std::string(operation), volume.id)
      .because("what is on the disk has just been changed")
      .advise("try again");
}

Result<void> VolumeBackendLinux::check_writable(const Locked& locked, std::string_view operation) {
  if (!locked.read_only) return {};
  return Error(StatusCode::kFailedPrecondition, std::string(operation), locked.volume.id)
      .because(locked.volume.disk.read_only ? "its disk is read-only"
                                            : "its partition is read-only")
      .advise(
          "see why; with clear_read_only = true of the module disk SetDiskState(online) clears the "
          "kernel's flag");
}

}  // namespace longshore::volume
