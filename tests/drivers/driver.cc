#include "tests/drivers/driver.h"

#include <algorithm>
#include <stdexcept>

namespace longshore::test {

std::string_view name_of(Method method) {
  switch (method) {
    case Method::kRescan:
      return "Rescan";
    case Method::kListDiskLocations:
      return "ListDiskLocations";
    case Method::kListDiskIDs:
      return "ListDiskIDs";
    case Method::kPartitionDisk:
      return "PartitionDisk";
    case Method::kSetDiskOnline:
      return "SetDiskState(online)";
    case Method::kSetDiskOffline:
      return "SetDiskState(offline)";
    case Method::kGetDiskStats:
      return "GetDiskStats";
    case Method::kListVolumesOnDisk:
      return "ListVolumesOnDisk";
    case Method::kIsVolumeFormatted:
      return "IsVolumeFormatted";
    case Method::kFormatVolume:
      return "FormatVolume";
    case Method::kMountVolume:
      return "MountVolume";
    case Method::kUnmountVolume:
      return "UnmountVolume";
    case Method::kResizeVolume:
      return "ResizeVolume";
    case Method::kResizeVolumeOfDisk:
      return "ResizeVolume with a disk's number";
    case Method::kGetVolumeStats:
      return "GetVolumeStats";
    case Method::kGetDiskNumberFromVolumeID:
      return "GetDiskNumberFromVolumeID";
    case Method::kGetVolumeIDFromTargetPath:
      return "GetVolumeIDFromTargetPath";
    case Method::kWriteVolumeCache:
      return "WriteVolumeCache";
    case Method::kPathExists:
      return "PathExists";
    case Method::kMkdir:
      return "Mkdir";
    case Method::kRmdir:
      return "Rmdir";
    case Method::kCreateSymlink:
      return "CreateSymlink";
    case Method::kIsSymlink:
      return "IsSymlink";
    case Method::kNewSmbGlobalMapping:
      return "NewSmbGlobalMapping";
    case Method::kRemoveSmbGlobalMapping:
      return "RemoveSmbGlobalMapping";
    case Method::kGetBIOSSerialNumber:
      return "GetBIOSSerialNumber";
  }
  return "?";
}

const std::string& Driver::version_of(const std::string& group) const {
  for (const GroupVersion& each : groups) {
    if (each.group == group) return each.version;
  }
  throw std::logic_error(name + " does not use the group " + group);
}

std::vector<std::pair<std::string_view, const Rows*>> tables_of(const Driver& driver) {
  return {{"the start", &driver.start},           {"NodeStageVolume", &driver.stage},
          {"NodePublishVolume", &driver.publish}, {"NodeGetVolumeStats", &driver.stats},
          {"NodeExpandVolume", &driver.expand},   {"NodeUnpublishVolume", &driver.unpublish},
          {"NodeUnstageVolume", &driver.unstage}};
}

size_t rows_of_calls(const Driver& driver) {
  size_t count = 0;
  for (const auto& [method, rows] : tables_of(driver)) {
    count += static_cast<size_t>(std::ranges::count_if(*rows, [](const Row& row) {
      return row.reach == Reach::kReached && std::holds_alternative<Call>(row.what);
    }));
  }
  return count;
}

}  // namespace longshore::test
