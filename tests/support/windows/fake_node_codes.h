// Control codes that the headers of mingw do not have, and types of partitions.
#pragma once

#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <bit>
#include <cstdint>

#include "tests/support/windows/partition_types.h"

namespace longshore::test {

constexpr uint32_t kGetDiskAttributes = 0x000700f0;  // IOCTL_DISK_GET_DISK_ATTRIBUTES
constexpr uint32_t kSetDiskAttributes = 0x0007c0f4;  // IOCTL_DISK_SET_DISK_ATTRIBUTES
constexpr uint32_t kScsiGetAddress = 0x00041018;     // IOCTL_SCSI_GET_ADDRESS

// The types of partition_types.h, for Windows' own structures.
constexpr GUID windows_guid(const support::Guid& guid) { return std::bit_cast<GUID>(guid); }

}  // namespace longshore::test
