#include "disk/linux/disk_backend_linux.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "support/linux/block/device_content.h"
#include "support/linux/block/disk_identity.h"
#include "support/linux/block/disk_use.h"
#include "support/linux/block/opened_disk.h"
#include "support/linux/block/partition_nodes.h"
#include "support/linux/block/partition_table.h"
#include "support/linux/block/sysfs.h"

namespace longshore::disk {

using block::Content;
using block::ContentKind;
using block::Disk;
using block::DiskLock;
using block::TablePartition;

namespace {

constexpr const char* kPartition = "partition";
constexpr const char* kTakeOffline = "take offline";

Error refused(const Disk& disk, const std::string& why) {
  return Error(StatusCode::kFailedPrecondition, kPartition, disk.node).because(why);
}

// Whether a disk that is not blank needs a partition: it has a table with nothing that counts.
Result<bool> lacks_partition(const Disk& disk, const Content& content) {
  switch (content.kind) {
    case ContentKind::kPartitionTable:
      if (!std::ranges::all_of(content.partitions, &TablePartition::is_reserved)) return false;
      if (content.type == "gpt" || content.type == "dos") return true;
      return refused(disk, "its partition table (" + content.type +
                               ") is damaged or of a kind that is not written here");
    case ContentKind::kFilesystem:
    case ContentKind::kMember:
    case ContentKind::kSwap:
      return refused(disk, "it holds " + content.type + " and no partition table")
          .advise(
              "a disk with a filesystem of its own is a volume already; wipe it (wipefs -a) "
              "if it is not needed");
    case ContentKind::kLostTable:
      return refused(disk, "it has a GPT, but the first sector, which says so, was overwritten")
          .advise(
              "write that sector anew (gdisk does), or wipe the disk (wipefs -a) if what its "
              "partitions hold is not needed");
    case ContentKind::kNothing:
    case ContentKind::kAmbiguous:
      break;
  }
  return refused(disk, "it holds several things that contradict each other")
      .advise("wipefs shows them");
}

// Also what a call left that was cut short while it wrote a table: the first sector comes last, and
// there is at most the partition that it adds, with nothing in it yet. Of other partitions no
// signature has to tell what they hold.
Result<bool> holds_nothing(const FileDescriptor& descriptor, const Disk& disk,
                           const Content& content) {
  if (content.kind != ContentKind::kLostTable) return content.kind == ContentKind::kNothing;
  if (content.partitions.empty()) return true;
  const TablePartition& added = content.partitions.front();
  if (content.partitions.size() > 1 || added.number != 1 || added.is_private) return false;
  const Result<Content> held = block::read_content(descriptor, block::stretch_of(added), disk.node);
  if (!held) return held.error();
  return held->kind == ContentKind::kNothing;
}

Result<void> write_partition(const Disk& disk, bool is_blank) {
  // For itself alone: EBUSY if anything uses it after all.
  const Result<FileDescriptor> opened = block::open_disk(disk, O_RDWR | O_EXCL, kPartition);
  if (!opened) return opened.error();
  Result<block::PartitionTable> table = block::PartitionTable::open(disk, *opened);
  if (!table) return std::move(table).error();
  if (is_blank) {
    if (Result<void> made = table->create(); !made) return made;
  }
  if (Result<void> added = table->add_largest(); !added) return added;
  return table->write();
}

}  // namespace

Result<std::map<uint32_t, DiskLocation>> DiskBackendLinux::locations() {
  const Result<std::vector<Disk>> disks = devices_.disks();
  if (!disks) return disks.error();
  std::map<uint32_t, DiskLocation> locations;
  for (const Disk& disk : *disks) {
    auto location = block::location_of(devices_, disk);
    if (!location) continue;
    locations[disk.number] = {std::move(location->adapter), std::move(location->bus),
                              std::move(location->target), std::move(location->unit)};
  }
  return locations;
}

Result<std::map<uint32_t, DiskIdentity>> DiskBackendLinux::identities() {
  const Result<std::vector<Disk>> disks = devices_.disks();
  if (!disks) return disks.error();
  std::map<uint32_t, DiskIdentity> identities;
  for (const Disk& disk : *disks) {
    identities[disk.number] = {block::page83_of(devices_, disk),
                               block::serial_number_of(devices_, disk)};
  }
  return identities;
}

Result<uint64_t> DiskBackendLinux::size_in_bytes(uint32_t number) {
  const Result<Disk> disk = devices_.disk(number, "tell the size of");
  if (!disk) return disk.error();
  return disk->size_in_bytes();
}

Result<void> DiskBackendLinux::check_changeable(const Disk& disk) const {
  if (disk.read_only) return refused(disk, "it is read-only");
  if (!disk.holders.empty()) return refused(disk, "it is a part of " + disk.holders.front());
  // How many devices a disk may be: dm's are one, and a table on them would lead nowhere.
  if (block::read_number_attribute(devices_.path_of(disk, "ext_range")) == 1) {
    return refused(disk, "the kernel allows no partitions on it")
        .advise("make a filesystem on the whole device");
  }
  return block::check_not_system_disk(devices_, disk, kPartition);
}

Result<void> DiskBackendLinux::partition(uint32_t number, const Deadline& deadline) {
  const Result<Disk> disk = devices_.disk(number, kPartition);
  if (!disk) return disk.error();
  // It could not even be opened.
  if (!devices_.is_online(*disk)) {
    return refused(*disk, "it is offline").advise("SetDiskState brings it online");
  }
  std::vector<block::KernelPartition> partitions;
  {
    const Result<DiskLock> lock = DiskLock::take(*disk, deadline, kPartition);
    if (!lock) return lock.error();
    Result<Content> content = block::read_content(lock->descriptor(), whole(*disk), disk->node);
    if (!content) return std::move(content).error();
    const Result<bool> blank = holds_nothing(lock->descriptor(), *disk, *content);
    if (!blank) return blank.error();
    const Result<bool> lacks = *blank ? true : lacks_partition(*disk, *content);
    if (!lacks) return lacks.error();
    if (!*lacks) return {};

    if (Result<void> changeable = check_changeable(*disk); !changeable) return changeable;
    if (Result<void> done = write_partition(*disk, *blank); !done) return done;

    content = block::read_content(lock->descriptor(), whole(*disk), disk->node);
    if (!content) return std::move(content).error();
    for (const TablePartition& partition : content->partitions) {
      if (partition.is_reserved || partition.is_private) continue;
      auto known = block::ensure_kernel_partition(devices_, *disk, lock->descriptor(), partition);
      if (!known) return std::move(known).error();
      partitions.push_back(*std::move(known));
    }
    if (partitions.empty()) {
      return Error(StatusCode::kInternal, kPartition, disk->node)
          .because("failed to create basic partition: the new table shows none");
    }
  }
  // The lock is free: udev may make the nodes.
  for (const auto& partition : partitions) {
    if (Result<void> there = block::wait_for_node(partition, deadline); !there) return there;
  }
  return {};
}

Result<void> DiskBackendLinux::rescan(const Deadline& deadline) {
  constexpr const char* kRescan = "rescan";
  std::vector<std::pair<std::string, std::string>> requests;
  const std::string hosts = devices_.sysfs() + "/class/scsi_host/";
  for (const std::string& host : block::names_in(hosts)) {
    requests.emplace_back(hosts + host + "/scan", "- - -");
  }
  const std::string controllers = devices_.sysfs() + "/class/nvme/";
  for (const std::string& controller : block::names_in(controllers)) {
    requests.emplace_back(controllers + controller + "/rescan_controller", "1");
  }
  // All of them: one without a size is served only when it has got one, and dm is made of paths
  // that are not served.
  const std::string disks = devices_.sysfs() + "/block/";
  for (const std::string& disk : block::names_in(disks)) {
    requests.emplace_back(disks + disk + "/device/rescan", "1");
  }

  // One host that fails keeps no other from being scanned.
  std::optional<Error> first;
  for (const auto& [path, text] : requests) {
    if (const auto exceeded = deadline.exceeded(kRescan, path)) return *exceeded;
    const std::error_code error = block::write_attribute(path, text);
    const bool is_gone = status_code_of(error) == StatusCode::kNotFound;
    if (error && !is_gone && !first) {
      first = Error(StatusCode::kUnavailable, kRescan, path).because(error);
    }
  }
  if (first) return *std::move(first);
  return {};
}

Result<bool> DiskBackendLinux::is_online(uint32_t number) {
  const Result<Disk> disk = devices_.disk(number, "tell the state of");
  if (!disk) return disk.error();
  return devices_.is_online(*disk);
}

Result<void> DiskBackendLinux::set_online(uint32_t number, bool online, const Deadline& deadline) {
  constexpr const char* kBringOnline = "bring online";
  const char* const operation = online ? kBringOnline : kTakeOffline;
  const Result<Disk> disk = devices_.disk(number, operation);
  if (!disk) return disk.error();
  if (devices_.is_online(*disk) == online) return {};
  if (block::link_name(devices_.path_of(*disk, "device/subsystem")) != "scsi") {
    return Error(StatusCode::kUnimplemented, operation, disk->node)
        .because("the kernel has such a state for SCSI disks only");
  }
  if (!online) return take_offline(*disk, deadline);
  const auto error = block::write_attribute(devices_.path_of(*disk, "device/state"), "running");
  if (error) return Error(StatusCode::kUnknown, operation, disk->node).because(error);
  return {};
}

Result<void> DiskBackendLinux::take_offline(const Disk& disk, const Deadline& deadline) const {
  // The lock keeps away who formats or mounts; opening exclusively sees users that this process
  // cannot name, as a mount in a container's namespace.
  const Result<DiskLock> lock = DiskLock::take(disk, deadline, kTakeOffline);
  if (!lock) return lock.error();
  if (Result<void> unused = block::check_unused(devices_, disk, kTakeOffline); !unused) {
    return unused;
  }
  const Result<FileDescriptor> opened = block::open_disk(disk, O_RDONLY | O_EXCL, kTakeOffline);
  if (!opened) return opened.error();
  // Whatever is still in the page cache could not be written afterwards.
  if (::fsync(opened->get()) != 0) {
    return Error(StatusCode::kUnknown, kTakeOffline, disk.node).because(last_error());
  }
  const auto error = block::write_attribute(devices_.path_of(disk, "device/state"), "offline");
  if (error) return Error(StatusCode::kUnknown, kTakeOffline, disk.node).because(error);
  return {};
}

}  // namespace longshore::disk
