#include "support/windows/node_volumes.h"

#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <algorithm>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/disk_device.h"
#include "support/windows/system_error.h"

namespace longshore::support {
namespace {

// Of a volume on 40 disks, and on more than there are.
constexpr size_t kExtentsBytes = 1 << 10;
constexpr size_t kMostExtentsBytes = 64 << 10;

bool lie_on(const std::vector<DiskExtent>& extents, uint32_t disk) {
  return std::ranges::any_of(extents, [&](const DiskExtent& each) { return each.disk == disk; });
}

Error unknown_use(uint32_t number, std::string_view operation, const std::wstring& device) {
  return Error(StatusCode::kFailedPrecondition, std::string(operation), disk_name(number))
      .because("nobody can tell on which disk " + narrow(device) +
               " lies, which Windows needs, and this may be the one");
}

}  // namespace

bool NodeVolume::lies_on(uint32_t disk) const { return lie_on(extents, disk); }

NodeVolumes::Asked NodeVolumes::extents_of(const std::wstring& device) const {
  const DeviceControl::Opened opened = devices_.open(device, DeviceControl::Access::kQuery);
  if (opened.error) return {opened.error, std::nullopt};
  for (size_t most = kExtentsBytes;; most *= 2) {
    const Device::Answer answer =
        opened.device->control(IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS, {}, most);
    if (!answer.error) return {{}, disk_extents(answer.bytes)};
    if (!is_windows_error(answer.error, ERROR_MORE_DATA) || most >= kMostExtentsBytes) {
      return {answer.error, std::nullopt};
    }
  }
}

Result<std::vector<NodeVolume>> NodeVolumes::all(std::string_view operation) const {
  VolumeFunctions::Names volumes = functions_.volumes();
  if (volumes.error) {
    return Error(status_code_of_windows(volumes.error), std::string(operation))
        .because(volumes.error);
  }
  std::vector<NodeVolume> found;
  for (std::wstring& name : volumes.names) {
    if (!name.ends_with(L'\\')) name += L'\\';
    NodeVolume volume{std::move(name), {}};
    Asked asked = extents_of(volume.device());
    if (!asked.extents || asked.extents->empty()) continue;
    volume.extents = *std::move(asked.extents);
    found.push_back(std::move(volume));
  }
  return found;
}

Result<std::vector<NodeVolume>> NodeVolumes::on_disk(uint32_t number,
                                                     std::string_view operation) const {
  Result<std::vector<NodeVolume>> volumes = all(operation);
  if (volumes) std::erase_if(*volumes, [&](const auto& each) { return !each.lies_on(number); });
  return volumes;
}

Result<void> NodeVolumes::check_not_system_disk(uint32_t number, std::string_view operation,
                                                const std::vector<std::wstring>& needed) const {
  VolumeFunctions::Names system = functions_.needed_volumes();
  if (system.error) {
    return Error(StatusCode::kFailedPrecondition, std::string(operation), disk_name(number))
        .because("nobody can tell which volumes Windows needs: " + system.error.message());
  }
  system.names.insert(system.names.end(), needed.begin(), needed.end());
  for (const std::wstring& device : system.names) {
    const Asked asked = extents_of(device);
    // A volume that lies nowhere is one of which nobody knows.
    if (!asked.extents || asked.extents->empty()) return unknown_use(number, operation, device);
    if (!lie_on(*asked.extents, number)) continue;
    return Error(StatusCode::kFailedPrecondition, std::string(operation), disk_name(number))
        .because("it is in use by " + narrow(device))
        .advise("a disk that the running system needs is never changed");
  }
  return {};
}

}  // namespace longshore::support
