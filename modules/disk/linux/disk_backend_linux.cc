#include "disk/linux/disk_backend_linux.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "disk/linux/blank_disk.h"
#include "disk/linux/write_protection.h"
#include "support/linux/block/device_content.h"
#include "support/linux/block/disk_identity.h"
#include "support/linux/block/disk_use.h"
#include "support/linux/block/held_device.h"
#include "support/linux/block/offline_record.h"
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
constexpr const char* kBringOnline = "bring online";
constexpr const char* kKernelState = "device/state";

std::string kernel_state_of(const block::BlockDevices& devices, const Disk& disk) {
  return block::read_text_attribute(devices.path_of(disk, kKernelState)).value_or("");
}

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
    case ContentKind::kLostTable:
      return refused(disk, "it holds " + block::describe(content))
          .advise("write that sector anew (gdisk does)");
    default:
      return refused(disk, "it holds " + block::describe(content) + " and no partition table")
          .advise("a disk with a filesystem of its own is a volume already");
  }
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

std::string DiskBackendLinux::bulkhead_of(uint32_t number) {
  const Result<Disk> disk = devices_.disk(number, "find");
  return disk ? devices_.bulkhead_of(*disk) : std::string();
}

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
  // How many devices a disk may be: dm's are one, and a table on them would lead nowhere.
  if (block::read_number_attribute(devices_.path_of(disk, "ext_range")) == 1) {
    return refused(disk, "the kernel allows no partitions on it")
        .advise("make a filesystem on the whole device");
  }
  return block::check_not_system_disk(devices_, disk, kPartition);
}

// What the kernel has taken offline cannot even be opened. Where that was this group's doing, it is
// undone for good: the record stays, and the disk is offline as others are.
Result<void> DiskBackendLinux::make_readable(const Disk& disk) const {
  if (devices_.is_reachable(disk)) return {};
  if (block::is_taken_offline(disk) && kernel_state_of(devices_, disk) == "offline") {
    return wake(disk, kPartition);
  }
  return refused(disk, "it is offline").advise("SetDiskState brings it online");
}

Result<void> DiskBackendLinux::partition(uint32_t number, const Deadline& deadline) {
  const Result<Disk> disk = devices_.disk(number, kPartition);
  if (!disk) return disk.error();
  if (auto free = block::check_not_held(devices_, *disk, kPartition); !free) return free;
  if (Result<void> readable = make_readable(*disk); !readable) return readable;
  std::vector<block::KernelPartition> partitions;
  {
    const Result<DiskLock> lock = DiskLock::take(*disk, deadline, kPartition);
    if (!lock) return lock.error();
    Result<Content> content = block::read_content(lock->descriptor(), whole(*disk), disk->node);
    if (!content) return std::move(content).error();
    const Result<bool> blank = holds_nothing_known(lock->descriptor(), *disk, *content);
    if (!blank) return blank.error();
    if (*blank && !overwrites_unknown_data_) {
      auto zero = check_zero_at_ends(lock->descriptor(), *disk, *content);
      if (!zero) return zero;
    }
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
  if (auto exceeded = deadline.exceeded("rescan", "the disks")) return *std::move(exceeded);
  return rescan_.run();
}

Result<DiskState> DiskBackendLinux::state(uint32_t number) {
  const Result<Disk> disk = devices_.disk(number, "tell the state of");
  if (!disk) return disk.error();
  return DiskState{.online = devices_.is_reachable(*disk) && !block::is_taken_offline(*disk),
                   .read_only = is_write_protected(devices_, *disk)};
}

Result<void> DiskBackendLinux::set_online(uint32_t number, bool online, const Deadline& deadline) {
  const Result<Disk> disk = devices_.disk(number, online ? kBringOnline : kTakeOffline);
  if (!disk) return disk.error();
  if (online) return bring_online(*disk, deadline);
  if (is_offline(*disk)) return {};
  return take_offline(*disk, deadline);
}

bool DiskBackendLinux::is_scsi(const Disk& disk) const {
  return block::link_name(devices_.path_of(disk, "device/subsystem")) == "scsi";
}

bool DiskBackendLinux::is_offline(const Disk& disk) const {
  if (!devices_.is_reachable(disk)) return true;
  return block::is_taken_offline(disk) && !(offline_in_kernel_ && is_scsi(disk));
}

Result<void> DiskBackendLinux::take_offline(const Disk& disk, const Deadline& deadline) const {
  // The lock keeps away who formats or mounts; opening exclusively sees users that no list shows.
  const Result<DiskLock> lock = DiskLock::take(disk, deadline, kTakeOffline);
  if (!lock) return lock.error();
  const Result<FileDescriptor> opened = block::open_unused(devices_, disk, kTakeOffline);
  if (!opened) return opened.error();
  // Whoever detaches the disk next takes it that everything is on it; and what is still in the page
  // cache could not be written once the kernel has it offline.
  if (const std::error_code error = error_unless(::fsync(opened->get()) == 0)) {
    return Error(StatusCode::kUnknown, kTakeOffline, disk.node).because(error);
  }
  auto recorded = block::record_offline(*opened, disk, kTakeOffline);
  if (!recorded || !offline_in_kernel_ || !is_scsi(disk)) return recorded;
  const auto error = block::write_attribute(devices_.path_of(disk, kKernelState), "offline");
  if (error) return Error(StatusCode::kUnknown, kTakeOffline, disk.node).because(error);
  return {};
}

Result<void> DiskBackendLinux::bring_online(const Disk& disk, const Deadline& deadline) const {
  if (!devices_.is_reachable(disk)) {
    if (Result<void> awake = wake(disk, kBringOnline); !awake) return awake;
  }
  const bool clears = clears_read_only_ && is_write_protected(devices_, disk);
  if (!clears && !block::is_taken_offline(disk)) return {};
  const Result<DiskLock> lock = DiskLock::take(disk, deadline, kBringOnline);
  if (!lock) return lock.error();
  if (clears) {
    auto changeable = block::check_not_system_disk(devices_, disk, kBringOnline);
    if (!changeable) return changeable;
    auto cleared = clear_write_protection(devices_, disk, lock->descriptor());
    if (!cleared) return cleared;
  }
  return block::remove_offline_record(lock->descriptor(), disk, kBringOnline);
}

Result<void> DiskBackendLinux::wake(const Disk& disk, std::string_view operation) const {
  if (!is_scsi(disk)) {
    return Error(StatusCode::kFailedPrecondition, std::string(operation), disk.node)
        .because("the kernel says that it is " + kernel_state_of(devices_, disk))
        .advise("only SCSI disks can be told to run; see the kernel's log, or attach it again");
  }
  const auto error = block::write_attribute(devices_.path_of(disk, kKernelState), "running");
  if (!error) return {};
  return Error(StatusCode::kUnknown, std::string(operation), disk.node).because(error);
}

}  // namespace longshore::disk
