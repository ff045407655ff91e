#include "volume/windows/volume_finder.h"

#include <algorithm>
#include <utility>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/disk_device.h"
#include "support/windows/guid_text.h"
#include "support/windows/node_disks.h"
#include "support/windows/system_error.h"

namespace longshore::volume {

using support::DeviceControl;
using support::DiskDevice;
using support::DiskExtent;
using support::DriveLayout;
using support::NodeVolume;

namespace {

std::optional<Volume> volume_of(const NodeVolume& node_volume) {
  const auto guid = support::guid_of_volume(narrow(node_volume.name));
  if (!guid) return std::nullopt;
  return Volume{support::volume_id(*guid), node_volume.extents};
}

Error offline_disk_refused(uint32_t disk, std::string_view operation, std::string_view id) {
  return Error(StatusCode::kFailedPrecondition, std::string(operation), std::string(id))
      .because(support::disk_name(disk) + " is offline")
      .advise("SetDiskState brings it online");
}

}  // namespace

std::wstring Volume::name() const { return wide(id); }

std::wstring Volume::device() const { return wide(id.substr(0, id.size() - 1)); }

Result<Volume> VolumeFinder::find(const std::string& id, std::string_view operation) const {
  Result<Volume> volume = find_unserved(id, operation);
  if (volume && !volume->is_online) return offline_disk_refused(volume->disk(), operation, id);
  return volume;
}

Result<Volume> VolumeFinder::find_unserved(const std::string& id,
                                           std::string_view operation) const {
  const auto guid = support::guid_of_volume(id);
  if (guid) {
    const auto volumes = volumes_.all(operation);
    if (!volumes) return volumes.error();
    for (const NodeVolume& each : *volumes) {
      if (support::guid_of_volume(narrow(each.name)) == guid) return *volume_of(each);
    }
    auto offline = find_offline(*guid, operation);
    if (!offline) return std::move(offline).error();
    if (*offline) return **std::move(offline);
  }
  return Error(StatusCode::kNotFound, std::string(operation), id)
      .because("there is no such volume")
      .advise("use an id that ListVolumesOnDisk answered, as it is");
}

Result<std::optional<Volume>> VolumeFinder::find_offline(const support::Guid& guid,
                                                         std::string_view operation) const {
  const auto disks = support::open_disks(devices_, operation);
  if (!disks) return disks.error();
  std::optional<Error> unread;
  for (const auto& [number, ignored] : *disks) {
    Result<DiskDevice> disk =
        DiskDevice::open(devices_, number, DeviceControl::Access::kRead, operation);
    if (!disk) continue;
    const auto attributes = disk->attributes();
    if (!attributes || !attributes->offline) continue;
    const Result<DriveLayout> layout = disk->layout();
    if (!layout) {
      unread = layout.error();
      continue;
    }
    const support::PartitionEntry* partition = layout->partition_of(guid);
    if (partition == nullptr) continue;
    const DiskExtent extent{number, partition->offset, partition->length};
    return std::optional(Volume{support::volume_id(guid), {extent}, /*is_online=*/false});
  }
  if (!unread) return std::optional<Volume>();
  return Error(StatusCode::kUnavailable, std::string(operation), support::volume_id(guid))
      .because("no volume of a disk that can be read has this id: " + unread->message());
}

Result<bool> VolumeFinder::is_known(const std::string& id, std::string_view operation) const {
  const support::VolumeFunctions::Names names = functions_.volumes();
  if (names.error) {
    return Error(support::status_code_of_windows(names.error), std::string(operation), id)
        .because(names.error);
  }
  const bool is_listed = std::ranges::any_of(names.names, [&](const std::wstring& name) {
    return support::is_same_volume(narrow(name), id);
  });
  if (is_listed) return true;
  const Result<Volume> volume = find_unserved(id, operation);
  if (volume) return true;
  if (volume.error().code() == StatusCode::kNotFound) return false;
  return volume.error();
}

Result<std::vector<Volume>> VolumeFinder::on_disk(uint32_t number,
                                                  std::string_view operation) const {
  const auto volumes = volumes_.on_disk(number, operation);
  if (!volumes) return volumes.error();
  std::vector<Volume> found;
  for (const NodeVolume& each : *volumes) {
    if (auto volume = volume_of(each)) found.push_back(*std::move(volume));
  }
  const auto place_there = [&](const Volume& volume) {
    const auto extent = std::ranges::find(volume.extents, number, &DiskExtent::disk);
    return extent->offset;
  };
  std::ranges::sort(found, {}, place_there);
  return found;
}

}  // namespace longshore::volume
