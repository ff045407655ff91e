// Control codes and types of partitions that the headers of mingw do not have.
#pragma once

#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <cstdint>

namespace longshore::test {

constexpr uint32_t kGetDiskAttributes = 0x000700f0;  // IOCTL_DISK_GET_DISK_ATTRIBUTES
constexpr uint32_t kSetDiskAttributes = 0x0007c0f4;  // IOCTL_DISK_SET_DISK_ATTRIBUTES
constexpr uint32_t kScsiGetAddress = 0x00041018;     // IOCTL_SCSI_GET_ADDRESS

constexpr GUID kBasicDataType = {
    0xebd0a0a2, 0xb9e5, 0x4433, {0x87, 0xc0, 0x68, 0xb6, 0xb7, 0x26, 0x99, 0xc7}};
constexpr GUID kReservedType = {
    0xe3c9e316, 0x0b5c, 0x4db8, {0x81, 0x7d, 0xf9, 0x2d, 0xf0, 0x02, 0x15, 0xae}};
constexpr GUID kSystemType = {
    0xc12a7328, 0xf81f, 0x11d2, {0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b}};

}  // namespace longshore::test
