// Which volumes a disk has, or why it has none.
#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "support/linux/block/offline_record.h"
#include "support/linux/block/opened_disk.h"
#include "volume/linux/volume_content.h"
#include "volume/linux/volume_finder.h"

namespace longshore::volume {

using block::ContentKind;
using block::Disk;
using block::KernelPartition;
using block::TablePartition;

namespace {

constexpr const char* kList = "list the volumes of";

}  // namespace

Result<std::vector<Volume>> VolumeFinder::volumes_on(uint32_t disk_number) const {
  Result<std::vector<Volume>> volumes = volumes_seen_on(disk_number);
  if (!volumes || !volumes->empty() || check_lacks_partitions(disk_number)) return volumes;
  // It may have been partitioned in between.
  volumes = volumes_seen_on(disk_number);
  if (!volumes || !volumes->empty()) return volumes;
  if (Result<void> lacks = check_lacks_partitions(disk_number); !lacks) {
    return std::move(lacks).error();
  }
  return volumes;
}

Result<std::vector<Volume>> VolumeFinder::volumes_seen_on(uint32_t disk_number) const {
  Result<Candidates> all = candidates();
  if (!all) return std::move(all).error();
  if (std::ranges::find(all->offline, disk_number) != all->offline.end()) {
    return block::offline_disk_refused(disk_number, kList, "disk " + std::to_string(disk_number));
  }
  const auto unreadable = std::ranges::find(all->unreadable, disk_number, &Disk::number);
  if (unreadable != all->unreadable.end()) {
    return Error(StatusCode::kUnavailable, kList, unreadable->node)
        .because("it is offline, or cannot be read or does not answer for the moment")
        .advise(kReadUnreadableAgain);
  }
  std::vector<Volume> volumes = told(std::move(all->found));
  std::erase_if(volumes, [&](const Volume& volume) { return volume.disk.number != disk_number; });
  return volumes;
}

// Such a disk PartitionDisk leaves as it is, as it leaves one with volumes.
Result<void> VolumeFinder::check_lacks_partitions(uint32_t disk_number) const {
  const Result<Disk> disk = devices_.disk(disk_number, kList);
  if (!disk) return disk.error();
  const auto refused = [&](const std::string& why) {
    return Error(StatusCode::kFailedPrecondition, kList, disk->node).because(why);
  };
  if (auto free = block::check_not_held(devices_, *disk, kList); !free) return free;
  const Result<FileDescriptor> opened = block::open_disk(*disk, O_RDONLY, kList);
  if (!opened) return opened.error();
  const auto partitions = block::read_partitions(*opened, disk->node);
  if (!partitions) return partitions.error();
  if (partitions->empty()) {
    const auto content = read_volume_content(*opened, whole(*disk), disk->node, disk->device);
    if (!content) return content.error();
    if (content->kind != ContentKind::kAmbiguous) return {};
    return refused("it holds " + block::describe(*content));
  }
  if (std::ranges::all_of(*partitions, &TablePartition::is_reserved)) return {};
  for (const KernelPartition& known : devices_.partitions(*disk)) {
    const block::HeldDevice held{known.name, devices_.holder_of(*disk, known.name)};
    if (!held.holder.empty()) return block::held_refused(devices_, held, kList, disk->node);
  }
  return refused("its partitions are a boot loader's or the like, and no volumes");
}

Result<void> VolumeFinder::check_partition_not_held(uint32_t disk_number,
                                                    uint32_t partition_number) const {
  const Result<Disk> disk = devices_.disk(disk_number, kList);
  if (!disk) return disk.error();
  for (const KernelPartition& known : devices_.partitions(*disk)) {
    const block::HeldDevice held{known.name, devices_.holder_of(*disk, known.name)};
    if (known.number != partition_number || held.holder.empty()) continue;
    return block::held_refused(devices_, held, kList, disk->node);
  }
  return {};
}

}  // namespace longshore::volume
