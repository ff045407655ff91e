#include "disk/windows/disk_backend_windows.h"

#include <string>
#include <utility>

#include "disk/windows/blank_disk.h"
#include "disk/windows/disk_volumes.h"
#include "support/windows/node_disks.h"

namespace longshore::disk {

using support::DeviceControl;
using support::DiskAttribute;
using support::DiskAttributes;
using support::DiskDevice;
using support::DriveLayout;

namespace {

constexpr const char* kPartition = "partition";
constexpr const char* kTakeOffline = "take offline";
constexpr const char* kBringOnline = "bring online";

}  // namespace

Result<std::map<uint32_t, DiskLocation>> DiskBackendWindows::locations() {
  const auto disks = support::open_disks(devices_, "list the locations of disks");
  if (!disks) return disks.error();
  std::map<uint32_t, DiskLocation> locations;
  for (const auto& [number, disk] : *disks) {
    const auto address = support::scsi_address_of(*disk);
    if (!address) continue;
    locations[number] = {std::to_string(address->port), std::to_string(address->path),
                         std::to_string(address->target), std::to_string(address->lun)};
  }
  return locations;
}

Result<std::map<uint32_t, DiskIdentity>> DiskBackendWindows::identities() {
  const auto disks = support::open_disks(devices_, "list the identifiers of disks");
  if (!disks) return disks.error();
  std::map<uint32_t, DiskIdentity> identities;
  for (const auto& [number, disk] : *disks) {
    identities[number] = {support::page83_of(*disk), support::serial_number_of(*disk)};
  }
  return identities;
}

Result<uint64_t> DiskBackendWindows::size_in_bytes(uint32_t number) {
  Result<DiskDevice> disk =
      DiskDevice::open(devices_, number, DeviceControl::Access::kRead, "tell the size of");
  return disk ? disk->size_in_bytes() : std::move(disk).error();
}

Result<void> DiskBackendWindows::check_changeable(DiskDevice& disk,
                                                  std::string_view operation) const {
  const Result<DiskAttributes> attributes = disk.attributes();
  if (!attributes) return attributes.error();
  if (attributes->read_only || disk.is_write_protected()) {
    return disk.refused("it is read-only")
        .advise("SetDiskState brings it online, and clears that if it is Windows' own doing");
  }
  return volumes_.check_not_system_disk(disk.number(), operation);
}

Result<void> DiskBackendWindows::partition(uint32_t number, const Deadline& deadline) {
  Result<DiskDevice> opened =
      DiskDevice::open(devices_, number, DeviceControl::Access::kWrite, kPartition);
  if (!opened) return std::move(opened).error();
  DiskDevice& disk = *opened;
  Result<DriveLayout> layout = disk.layout();
  if (!layout) return std::move(layout).error();
  if (!layout->partitions().empty()) return {};

  if (auto changeable = check_changeable(disk, kPartition); !changeable) return changeable;
  if (layout->style() == DriveLayout::Style::kRaw && !options_.overwrites_unknown_data) {
    if (auto zero = check_zero_at_ends(disk); !zero) return zero;
  }
  if (auto exceeded = deadline.exceeded(kPartition, support::disk_name(number))) {
    return *std::move(exceeded);
  }
  return write_table(disk, *layout);
}

Result<void> DiskBackendWindows::write_table(DiskDevice& disk, const DriveLayout& before) const {
  Result<DriveLayout> layout = before;
  if (before.style() == DriveLayout::Style::kRaw) {
    if (auto made = disk.create_gpt(options_.new_guid()); !made) return made;
    layout = disk.layout();
    if (!layout) return std::move(layout).error();
  }
  const Result<uint64_t> size = disk.size_in_bytes();
  if (!size) return size.error();
  const auto planned = layout->with_data_partition(*size, options_.new_guid(), options_.new_guid());
  if (!planned) {
    return disk.refused("its " + std::to_string(*size) + " bytes have no room for a partition");
  }
  if (auto set = disk.set_layout(*planned); !set) return set;
  layout = disk.layout();
  if (!layout) return std::move(layout).error();
  if (!layout->partitions().empty()) return {};
  return Error(StatusCode::kInternal, kPartition, support::disk_name(disk.number()))
      .because("failed to create basic partition: the new table shows none");
}

Result<void> DiskBackendWindows::rescan(const Deadline& deadline) {
  constexpr const char* kRescan = "rescan";
  if (auto exceeded = deadline.exceeded(kRescan, "the disks")) return *std::move(exceeded);
  const Result<support::WmiObject> answer = wmi_.call(
      support::kStorageNamespace, "MSFT_StorageSetting", "UpdateHostStorageCache", {}, deadline);
  if (!answer) return answer.error();
  return support::check_storage_return(*answer, kRescan, "the disks",
                                       "MSFT_StorageSetting.UpdateHostStorageCache");
}

Result<DiskState> DiskBackendWindows::state(uint32_t number) {
  Result<DiskDevice> disk =
      DiskDevice::open(devices_, number, DeviceControl::Access::kRead, "tell the state of");
  if (!disk) return std::move(disk).error();
  const Result<DiskAttributes> attributes = disk->attributes();
  if (!attributes) return attributes.error();
  return DiskState{.online = !attributes->offline,
                   .read_only = attributes->read_only || disk->is_write_protected()};
}

Result<void> DiskBackendWindows::set_online(uint32_t number, bool online,
                                            const Deadline& deadline) {
  const char* operation = online ? kBringOnline : kTakeOffline;
  Result<DiskDevice> disk =
      DiskDevice::open(devices_, number, DeviceControl::Access::kWrite, operation);
  if (!disk) return std::move(disk).error();
  if (auto exceeded = deadline.exceeded(operation, support::disk_name(number))) {
    return *std::move(exceeded);
  }
  const Result<DiskAttributes> attributes = disk->attributes();
  if (!attributes) return attributes.error();
  if (online) return bring_online(*disk, *attributes);
  return attributes->offline ? Result<void>() : take_offline(*disk, deadline);
}

Result<void> DiskBackendWindows::take_offline(DiskDevice& disk, const Deadline& deadline) const {
  const uint32_t number = disk.number();
  if (auto other = volumes_.check_not_system_disk(number, kTakeOffline); !other) return other;
  const auto volumes = volumes_.on_disk(number, kTakeOffline);
  if (!volumes) return volumes.error();
  const Result<DiskVolumes> locked = DiskVolumes::lock(devices_, functions_, *volumes, number,
                                                       kTakeOffline, options_.patience, deadline);
  if (!locked) return locked.error();
  return disk.set_attribute(DiskAttribute::kOffline, true);
}

// First writable, then online: what becomes visible is as it is going to be.
Result<void> DiskBackendWindows::bring_online(DiskDevice& disk,
                                              const DiskAttributes& before) const {
  if (before.read_only && options_.clears_read_only) {
    auto changeable = volumes_.check_not_system_disk(disk.number(), kBringOnline);
    if (!changeable) return changeable;
    auto cleared = disk.set_attribute(DiskAttribute::kReadOnly, false);
    if (!cleared) return cleared;
  }
  if (!before.offline) return {};
  if (auto set = disk.set_attribute(DiskAttribute::kOffline, false); !set) return set;
  const Result<DiskAttributes> after = disk.attributes();
  if (!after) return after.error();
  return after->offline ? still_offline(disk) : Result<void>();
}

Error DiskBackendWindows::still_offline(DiskDevice& disk) const {
  Error refusal = disk.refused("Windows leaves it offline");
  const Result<DriveLayout> layout = disk.layout();
  const auto disks = support::open_disks(devices_, kBringOnline);
  if (!layout || !disks || layout->identifier().empty()) return refusal;
  for (const auto& [number, ignored] : *disks) {
    if (number == disk.number()) continue;
    Result<DiskDevice> other =
        DiskDevice::open(devices_, number, DeviceControl::Access::kQuery, kBringOnline);
    const Result<DriveLayout> its = other ? other->layout() : std::move(other).error();
    if (!its || its->identifier() != layout->identifier()) continue;
    return disk
        .refused("Windows leaves it offline, as it is a copy of " + support::disk_name(number) +
                 ", with the same " + layout->identifier())
        .advise(
            "take the other one offline or away, or give this one an id of its own (diskpart's "
            "uniqueid disk)");
  }
  return refusal;
}

}  // namespace longshore::disk
