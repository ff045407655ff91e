// What disks and volumes answer to control codes, and are told by them, byte for byte as Windows
// documents it.
//
// In fixed-width types and without Windows' headers, so that what reads them runs under sanitizers
// and fuzzers on every system. disk_structures.cc compares them with those headers where there are
// any. Numbers that Windows has as signed ones, of which none may be negative, are unsigned here:
// who reads them looks at their largest.
//
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/windows/guid.h"

namespace longshore::support {

// PARTITION_STYLE. An answer may hold any other number.
enum class PartitionStyle : uint32_t { kMbr = 0, kGpt = 1, kRaw = 2 };

// PARTITION_INFORMATION_GPT
struct GptPartition {
  Guid type;
  Guid id;
  uint64_t attributes;
  char16_t name[36];
};
static_assert(sizeof(GptPartition) == 112);

// PARTITION_INFORMATION_MBR. Windows 10 has a GUID behind it, which nobody here needs.
struct MbrPartition {
  uint8_t type;
  uint8_t is_active;
  uint8_t is_recognized;
  uint8_t padding;
  uint32_t hidden_sectors;
};
static_assert(sizeof(MbrPartition) == 8);

// The types of MbrPartition that are told apart.
constexpr uint8_t kUnusedMbrType = 0x00;
constexpr uint8_t kFat12MbrType = 0x01;
constexpr uint8_t kFat16MbrType = 0x04;
constexpr uint8_t kExtendedMbrType = 0x05;
constexpr uint8_t kLargeFat16MbrType = 0x06;
constexpr uint8_t kNtfsMbrType = 0x07;
constexpr uint8_t kFat32MbrType = 0x0b;
constexpr uint8_t kFat32LbaMbrType = 0x0c;
constexpr uint8_t kFat16LbaMbrType = 0x0e;
constexpr uint8_t kExtendedLbaMbrType = 0x0f;

// PARTITION_INFORMATION_EX
struct PartitionEntry {
  PartitionStyle style;
  uint32_t padding;
  uint64_t offset;
  uint64_t length;
  uint32_t number;
  uint8_t is_rewritten;
  uint8_t is_service;
  uint16_t more_padding;
  // The first one is the larger, so that nothing of an empty entry is left as it was.
  union {
    GptPartition gpt;
    MbrPartition mbr;
  };
};
static_assert(sizeof(PartitionEntry) == 144);

// DRIVE_LAYOUT_INFORMATION_GPT
struct GptLayout {
  Guid disk_id;
  uint64_t usable_offset;
  uint64_t usable_length;
  uint32_t most_partitions;
  uint32_t padding;
};
static_assert(sizeof(GptLayout) == 40);

// DRIVE_LAYOUT_INFORMATION_MBR
struct MbrLayout {
  uint32_t signature;
  uint32_t check_sum;
};
static_assert(sizeof(MbrLayout) == 8);

// DRIVE_LAYOUT_INFORMATION_EX, before its entries.
struct DriveLayoutHead {
  PartitionStyle style;
  uint32_t count;
  union {
    GptLayout gpt;
    MbrLayout mbr;
  };
};
static_assert(sizeof(DriveLayoutHead) == 48);

// CREATE_DISK, of a GPT.
struct CreateGptDisk {
  PartitionStyle style;
  Guid disk_id;
  uint32_t most_partitions;
};
static_assert(sizeof(CreateGptDisk) == 24);

// STORAGE_DEVICE_ID_DESCRIPTOR, before its identifiers.
struct IdDescriptorHead {
  uint32_t version;
  uint32_t size;
  uint32_t count;
};
static_assert(sizeof(IdDescriptorHead) == 12);

// STORAGE_IDENTIFIER, before its bytes. The headers of mingw have it only for drivers.
struct StorageIdentifier {
  uint32_t code_set;
  uint32_t type;
  uint16_t size;
  uint16_t next_offset;
  uint32_t association;
};
static_assert(sizeof(StorageIdentifier) == 16);

// STORAGE_DEVICE_DESCRIPTOR, before its properties and the texts that its offsets are of.
struct DeviceDescriptorHead {
  uint32_t version;
  uint32_t size;
  uint8_t device_type;
  uint8_t device_type_modifier;
  uint8_t is_removable;
  uint8_t has_command_queue;
  uint32_t vendor_offset;
  uint32_t product_offset;
  uint32_t revision_offset;
  uint32_t serial_number_offset;
  uint32_t bus_type;
  uint32_t properties_length;
};
static_assert(sizeof(DeviceDescriptorHead) == 36);

// STORAGE_DEVICE_NUMBER
struct DeviceNumber {
  uint32_t device_type;
  uint32_t number;
  uint32_t partition;
};
static_assert(sizeof(DeviceNumber) == 12);
constexpr uint32_t kDiskDeviceType = 7;  // FILE_DEVICE_DISK

// VOLUME_DISK_EXTENTS, before its extents; and one of them, DISK_EXTENT.
struct DiskExtentsHead {
  uint32_t count;
  uint32_t padding;
};
static_assert(sizeof(DiskExtentsHead) == 8);
struct DiskExtentEntry {
  uint32_t disk;
  uint32_t padding;
  uint64_t offset;
  uint64_t length;
};
static_assert(sizeof(DiskExtentEntry) == 24);

// Where DISK_GEOMETRY_EX has the size in bytes.
constexpr size_t kSizeInGeometry = 24;

// GET_DISK_ATTRIBUTES and SET_DISK_ATTRIBUTES, which the headers of mingw do not have.
struct GetDiskAttributes {
  uint32_t version;
  uint32_t reserved;
  uint64_t attributes;
};
static_assert(sizeof(GetDiskAttributes) == 16);
struct SetDiskAttributes {
  uint32_t version;
  uint8_t persist;
  uint8_t reserved[3];
  uint64_t attributes;
  uint64_t mask;
  uint32_t reserved_too[4];
};
static_assert(sizeof(SetDiskAttributes) == 40);

}  // namespace longshore::support
