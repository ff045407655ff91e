#include "disk/windows/disk_volumes.h"

#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <algorithm>
#include <string>
#include <thread>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/disk_device.h"
#include "support/windows/system_error.h"

namespace longshore::disk {

using support::Device;
using support::DeviceControl;
using support::NodeVolume;

namespace {

constexpr std::chrono::milliseconds kBetweenTries{100};
constexpr size_t kDriveUnits = 3;  // "E:\"

Error in_use(uint32_t disk, std::string_view operation, const std::string& what) {
  return Error(StatusCode::kFailedPrecondition, std::string(operation), support::disk_name(disk))
      .because("it is in use by " + what);
}

// A directory that the volume is mounted on, or "". Where Windows does not say, the lock decides.
std::wstring mount_directory(support::VolumeFunctions& functions, const NodeVolume& volume) {
  const support::VolumeFunctions::Names paths = functions.mount_paths(volume.name);
  const auto found = std::ranges::find_if(
      paths.names, [](const std::wstring& path) { return path.size() > kDriveUnits; });
  return found == paths.names.end() ? std::wstring() : *found;
}

}  // namespace

Result<DiskVolumes> DiskVolumes::lock(DeviceControl& devices, support::VolumeFunctions& functions,
                                      const std::vector<NodeVolume>& volumes, uint32_t disk,
                                      std::string_view operation,
                                      std::chrono::milliseconds patience,
                                      const Deadline& deadline) {
  DiskVolumes locked;
  const auto end = Deadline::Clock::now() + patience;
  for (const NodeVolume& volume : volumes) {
    if (const std::wstring path = mount_directory(functions, volume); !path.empty()) {
      return in_use(disk, operation, "the mount " + narrow(path));
    }
    DeviceControl::Opened opened = devices.open(volume.device(), DeviceControl::Access::kWrite);
    const StatusCode code = support::status_code_of_windows(opened.error);
    // It went meanwhile.
    if (opened.error && code == StatusCode::kNotFound) continue;
    if (opened.error) {
      return Error(code, std::string(operation), support::disk_name(disk)).because(opened.error);
    }
    // What a disk that is read-only or gone keeps unwritten, it keeps.
    static_cast<void>(opened.device->flush());
    for (;;) {
      if (!opened.device->control(FSCTL_LOCK_VOLUME, {}, 0).error) break;
      if (auto exceeded = deadline.exceeded(std::string(operation), support::disk_name(disk))) {
        return *std::move(exceeded);
      }
      if (Deadline::Clock::now() >= end) {
        return in_use(disk, operation, "who has something open on " + narrow(volume.name));
      }
      std::this_thread::sleep_for(kBetweenTries);
    }
    locked.locked_.push_back(std::move(opened.device));
  }
  return locked;
}

}  // namespace longshore::disk
