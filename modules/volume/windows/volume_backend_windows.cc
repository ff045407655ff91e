#include "volume/windows/volume_backend_windows.h"

#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/system_error.h"
#include "volume/windows/foreign_content.h"

namespace longshore::volume {

using support::Device;
using support::DeviceControl;
using support::DiskDevice;
using support::DriveLayout;
using support::status_code_of_windows;

namespace {

constexpr const char* kList = "list the volumes of";
constexpr const char* kFormat = "format";
constexpr const char* kTellFilesystem = "tell whether there is a filesystem on";
constexpr const char* kFlush = "write what is unwritten of";
constexpr std::chrono::milliseconds kPollInterval{100};

Error refused_volume(const Volume& volume, std::string_view operation, std::string cause) {
  return Error(StatusCode::kFailedPrecondition, std::string(operation), volume.id)
      .because(std::move(cause));
}

Error failed_volume(const Volume& volume, std::string_view operation,
                    const std::error_code& error) {
  return Error(status_code_of_windows(error), std::string(operation), volume.id).because(error);
}

// Those of which Windows makes volumes, by their places; of one partition if `number` is not 0.
// Numbers are as Windows counts, and skip what is no partition.
struct Partitions {
  std::set<uint64_t> data;
  bool has_others = false;
};

Partitions partitions_in(const DriveLayout& layout, uint32_t number) {
  Partitions found;
  for (const support::PartitionEntry& partition : layout.partitions()) {
    if (number != 0 && partition.number != number) continue;
    if (support::is_data(partition)) {
      found.data.insert(partition.offset);
    } else {
      found.has_others = true;
    }
  }
  return found;
}

// A drive's root is no directory that somebody mounted it on.
bool is_directory_path(const std::wstring& path) { return path.size() > 3; }

}  // namespace

VolumeBackendWindows::VolumeBackendWindows(const Layers& layers, Options options)
    : layers_(layers),
      opener_(layers.files, std::move(options.roots)),
      mounts_read_only_disks_(options.mount_read_only_disks),
      patience_(options.patience),
      finder_(layers.devices, layers.volumes),
      formatter_(layers.wmi, std::move(options.filesystem)),
      records_(options.state_directory) {}

Result<std::vector<std::string>> VolumeBackendWindows::list(uint32_t disk_number,
                                                            uint32_t partition_number,
                                                            const Deadline& deadline) {
  Result<DiskDevice> disk =
      DiskDevice::open(layers_.devices, disk_number, DeviceControl::Access::kRead, kList);
  if (!disk) return std::move(disk).error();
  const auto attributes = disk->attributes();
  if (!attributes) return attributes.error();
  if (attributes->offline) {
    return disk->refused(support::disk_name(disk_number) + " is offline")
        .advise("SetDiskState brings it online");
  }
  const Result<DriveLayout> layout = disk->layout();
  if (!layout) return layout.error();
  const Partitions partitions = partitions_in(*layout, partition_number);
  const Deadline until = deadline.within(patience_);
  for (;;) {
    const auto volumes = finder_.on_disk(disk_number, kList);
    if (!volumes) return volumes.error();
    std::set<uint64_t> missing = partitions.data;
    std::vector<std::string> ids;
    for (const Volume& volume : *volumes) {
      const uint64_t place = volume.first().offset;
      missing.erase(place);
      if (partition_number == 0 || partitions.data.contains(place)) ids.push_back(volume.id);
    }
    if (missing.empty()) {
      if (!ids.empty() || !partitions.has_others) return ids;
      return disk->refused("none of its partitions is a volume of Windows'");
    }
    if (until.exceeded(kList, {})) {
      return Error(StatusCode::kUnavailable, kList, support::disk_name(disk_number))
          .because("Windows has not made a volume of a partition yet")
          .advise("try again");
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

Result<std::unique_ptr<Device>> VolumeBackendWindows::open_device(
    const Volume& volume, DeviceControl::Access access, std::string_view operation) const {
  DeviceControl::Opened opened = layers_.devices.open(volume.device(), access);
  if (opened.error) return failed_volume(volume, operation, opened.error);
  return std::move(opened.device);
}

Result<uint64_t> VolumeBackendWindows::device_size(const Volume& volume,
                                                   std::string_view operation) const {
  const auto device = open_device(volume, DeviceControl::Access::kRead, operation);
  if (!device) return device.error();
  const Device::Answer answer =
      (*device)->control(IOCTL_DISK_GET_LENGTH_INFO, {}, sizeof(GET_LENGTH_INFORMATION));
  if (answer.error) return failed_volume(volume, operation, answer.error);
  if (const auto size = support::length_in(answer.bytes)) return *size;
  return Error(StatusCode::kInternal, std::string(operation), volume.id)
      .because("its driver's answer to IOCTL_DISK_GET_LENGTH_INFO is too short");
}

Result<VolumeBackendWindows::Content> VolumeBackendWindows::content_of(
    const Volume& volume, std::string_view operation) const {
  const auto found = layers_.volumes.filesystem(volume.name());
  // FVE_E_LOCKED_VOLUME: what BitLocker keeps is something.
  constexpr DWORD kLocked = 0x80310000;
  if (support::is_windows_error(found.error, kLocked)) {
    return Content{.is_formatted = true, .type = "BitLocker"};
  }
  const bool is_unknown = support::is_windows_error(found.error, ERROR_UNRECOGNIZED_VOLUME) ||
                          (!found.error && (found.type.empty() || found.type == "RAW"));
  if (!found.error && !is_unknown) {
    return Content{true, found.type, found.serial_number, /*is_mountable=*/true};
  }
  if (!is_unknown) return failed_volume(volume, operation, found.error);
  const auto device = open_device(volume, DeviceControl::Access::kRead, operation);
  if (!device) return device.error();
  const Device::Answer start = (*device)->read(0, kSignatureBytes);
  if (start.error) return failed_volume(volume, operation, start.error);
  const auto foreign = foreign_content(start.bytes);
  return Content{.is_formatted = foreign.has_value(), .type = foreign.value_or("")};
}

Result<bool> VolumeBackendWindows::is_formatted(const std::string& id) {
  const Result<Volume> volume = finder_.find(id, kTellFilesystem);
  if (!volume) return volume.error();
  const Result<Content> content = content_of(*volume, kTellFilesystem);
  if (!content) return content.error();
  return content->is_formatted;
}

Result<void> VolumeBackendWindows::check_writable(const Volume& volume,
                                                  std::string_view operation) const {
  for (const support::DiskExtent& extent : volume.extents) {
    Result<DiskDevice> disk =
        DiskDevice::open(layers_.devices, extent.disk, DeviceControl::Access::kRead, operation);
    if (!disk) return std::move(disk).error();
    const auto attributes = disk->attributes();
    if (!attributes) return attributes.error();
    if (attributes->read_only || disk->is_write_protected()) {
      return refused_volume(volume, operation, support::disk_name(extent.disk) + " is read-only")
          .advise("SetDiskState(online) clears that if it is Windows' own doing");
    }
  }
  return {};
}

// What the allowed roots lie on, too: the kubelet's files.
std::vector<std::wstring> VolumeBackendWindows::root_devices() const {
  std::vector<std::wstring> devices;
  for (const support::WindowsPath& root : opener_.roots().roots()) {
    devices.push_back(L"\\\\.\\" + wide(root.text().substr(0, 2)));
  }
  return devices;
}

Result<void> VolumeBackendWindows::check_changeable(const Volume& volume,
                                                    std::string_view operation) const {
  for (const support::DiskExtent& extent : volume.extents) {
    auto other =
        finder_.node_volumes().check_not_system_disk(extent.disk, operation, root_devices());
    if (!other) return other;
  }
  return check_writable(volume, operation);
}

Result<void> VolumeBackendWindows::format(const std::string& id, const Deadline& deadline) {
  const Result<Volume> volume = finder_.find(id, kFormat);
  if (!volume) return volume.error();
  const auto paths = layers_.volumes.mount_paths(volume->name());
  if (paths.error) return failed_volume(*volume, kFormat, paths.error);
  const auto directory = std::ranges::find_if(paths.names, is_directory_path);
  if (directory != paths.names.end()) {
    return refused_volume(*volume, kFormat, "it is mounted on " + narrow(*directory));
  }
  Result<Content> content = content_of(*volume, kFormat);
  if (!content) return std::move(content).error();
  if (content->is_formatted) {
    if (content->is_mountable && records_.contains(volume->id, content->serial_number)) return {};
    return refused_volume(*volume, kFormat, "it holds " + content->type + " already")
        .advise("what a volume holds is never overwritten; clean the disk if it is not needed");
  }
  if (auto changeable = check_changeable(*volume, kFormat); !changeable) return changeable;
  if (auto exceeded = deadline.exceeded(kFormat, volume->id)) return *std::move(exceeded);
  if (auto recorded = records_.add(volume->id, std::nullopt); !recorded) return recorded;
  if (auto done = formatter_.format(volume->id, deadline); !done) return done;
  content = content_of(*volume, kFormat);
  if (!content) return std::move(content).error();
  if (!content->is_mountable) {
    return Error(StatusCode::kInternal, kFormat, volume->id)
        .because("MSFT_Volume.Format succeeded, and there is no filesystem");
  }
  return records_.add(volume->id, content->serial_number);
}

Result<VolumeStats> VolumeBackendWindows::stats(const std::string& id) {
  constexpr const char* kStats = "tell the size of";
  const Result<Volume> volume = finder_.find(id, kStats);
  if (!volume) return volume.error();
  const auto space = layers_.volumes.space(volume->name());
  if (!space.error)
    return VolumeStats{space.total, space.total - std::min(space.free, space.total)};
  if (!support::is_windows_error(space.error, ERROR_UNRECOGNIZED_VOLUME)) {
    return failed_volume(*volume, kStats, space.error);
  }
  const Result<uint64_t> size = device_size(*volume, kStats);
  if (!size) return size.error();
  return VolumeStats{*size, 0};
}

Result<void> VolumeBackendWindows::flush(const std::string& id,
                                         const support::WarningLog& warnings) {
  const Result<Volume> volume = finder_.find_unserved(id, kFlush);
  if (!volume && volume.error().code() == StatusCode::kNotFound && lost_.contains(id)) {
    warnings.write("the disk of \"" + id + "\" is gone: what was not written to it is lost");
    return {};
  }
  if (!volume) return volume.error();
  // Everything was written when it went offline.
  if (!volume->is_online) return {};
  const auto device = open_device(*volume, DeviceControl::Access::kWrite, kFlush);
  const std::error_code error = device ? (*device)->flush() : device.error().system();
  // Of what cannot be written to, nothing is unwritten.
  if (!error || support::is_windows_error(error, ERROR_WRITE_PROTECT)) return {};
  return failed_volume(*volume, kFlush, error);
}

Result<uint32_t> VolumeBackendWindows::disk_number_of(const std::string& id) {
  const Result<Volume> volume = finder_.find_unserved(id, "find the disk of");
  if (volume) return volume->disk();
  if (volume.error().code() == StatusCode::kNotFound && lost_.contains(id)) return kNoDisk;
  return volume.error();
}

}  // namespace longshore::volume
