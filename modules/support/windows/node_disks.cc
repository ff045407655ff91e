#include "support/windows/node_disks.h"

#include <windows.h>
// After windows.h.
#include <ntddscsi.h>
#include <winioctl.h>

#include "support/windows/disk_answers.h"
#include "support/windows/system_error.h"

namespace longshore::support {
namespace {

// As much as csi-proxy has room for.
constexpr size_t kDescriptorBytes = 4096;

std::string property_of(Device& disk, STORAGE_PROPERTY_ID property) {
  STORAGE_PROPERTY_QUERY query{};
  query.PropertyId = property;
  query.QueryType = PropertyStandardQuery;
  Device::Answer answer =
      disk.control(IOCTL_STORAGE_QUERY_PROPERTY, bytes_of(query), kDescriptorBytes);
  return answer.error ? std::string() : std::move(answer.bytes);
}

}  // namespace

Result<std::map<uint32_t, std::unique_ptr<Device>>> open_disks(DeviceControl& devices,
                                                               std::string_view operation) {
  const DeviceControl::Interfaces interfaces = devices.disk_interfaces();
  if (interfaces.error) {
    return Error(status_code_of_windows(interfaces.error), std::string(operation))
        .because(interfaces.error);
  }
  std::map<uint32_t, std::unique_ptr<Device>> disks;
  for (const std::wstring& path : interfaces.paths) {
    DeviceControl::Opened opened = devices.open(path, DeviceControl::Access::kQuery);
    if (opened.error) continue;
    const Device::Answer answer =
        opened.device->control(IOCTL_STORAGE_GET_DEVICE_NUMBER, {}, sizeof(STORAGE_DEVICE_NUMBER));
    const auto number = answer.error ? std::nullopt : disk_number(answer.bytes);
    if (number) disks.try_emplace(*number, std::move(opened.device));
  }
  return disks;
}

std::string page83_of(Device& disk) {
  return page83_identifier(property_of(disk, StorageDeviceIdProperty));
}

std::string serial_number_of(Device& disk) {
  return serial_number(property_of(disk, StorageDeviceProperty));
}

std::optional<ScsiAddress> scsi_address_of(Device& disk) {
  const Device::Answer answer = disk.control(IOCTL_SCSI_GET_ADDRESS, {}, sizeof(SCSI_ADDRESS));
  if (answer.error) return std::nullopt;
  const auto address = structure_at<SCSI_ADDRESS>(answer.bytes);
  if (!address || address->Length < sizeof(SCSI_ADDRESS)) return std::nullopt;
  return ScsiAddress{address->PortNumber, address->PathId, address->TargetId, address->Lun};
}

}  // namespace longshore::support
