// Nothing but comparisons: our structures beside those of Windows' headers.
#include "support/windows/disk_structures.h"

#include <windows.h>
// After windows.h.
#include <winioctl.h>
// After winioctl.h.
#include <ntddstor.h>

namespace longshore::support {
namespace {

static_assert(sizeof(Guid) == sizeof(GUID));
static_assert(offsetof(Guid, data4) == offsetof(GUID, Data4));

static_assert(static_cast<DWORD>(PartitionStyle::kMbr) == PARTITION_STYLE_MBR);
static_assert(static_cast<DWORD>(PartitionStyle::kGpt) == PARTITION_STYLE_GPT);
static_assert(static_cast<DWORD>(PartitionStyle::kRaw) == PARTITION_STYLE_RAW);

static_assert(sizeof(GptPartition) == sizeof(PARTITION_INFORMATION_GPT));
static_assert(offsetof(GptPartition, id) == offsetof(PARTITION_INFORMATION_GPT, PartitionId));
static_assert(offsetof(GptPartition, attributes) ==
              offsetof(PARTITION_INFORMATION_GPT, Attributes));
static_assert(offsetof(GptPartition, name) == offsetof(PARTITION_INFORMATION_GPT, Name));

static_assert(sizeof(MbrPartition) <= sizeof(PARTITION_INFORMATION_MBR));
static_assert(offsetof(MbrPartition, is_active) ==
              offsetof(PARTITION_INFORMATION_MBR, BootIndicator));
static_assert(offsetof(MbrPartition, is_recognized) ==
              offsetof(PARTITION_INFORMATION_MBR, RecognizedPartition));
static_assert(offsetof(MbrPartition, hidden_sectors) ==
              offsetof(PARTITION_INFORMATION_MBR, HiddenSectors));
static_assert(kUnusedMbrType == PARTITION_ENTRY_UNUSED);
static_assert(kFat12MbrType == PARTITION_FAT_12);
static_assert(kFat16MbrType == PARTITION_FAT_16);
static_assert(kExtendedMbrType == PARTITION_EXTENDED);
static_assert(kLargeFat16MbrType == PARTITION_HUGE);
static_assert(kNtfsMbrType == PARTITION_IFS);
static_assert(kFat32MbrType == PARTITION_FAT32);
static_assert(kFat32LbaMbrType == PARTITION_FAT32_XINT13);
static_assert(kFat16LbaMbrType == PARTITION_XINT13);
static_assert(kExtendedLbaMbrType == PARTITION_XINT13_EXTENDED);

static_assert(sizeof(PartitionEntry) == sizeof(PARTITION_INFORMATION_EX));
static_assert(offsetof(PartitionEntry, offset) ==
              offsetof(PARTITION_INFORMATION_EX, StartingOffset));
static_assert(offsetof(PartitionEntry, length) ==
              offsetof(PARTITION_INFORMATION_EX, PartitionLength));
static_assert(offsetof(PartitionEntry, number) ==
              offsetof(PARTITION_INFORMATION_EX, PartitionNumber));
static_assert(offsetof(PartitionEntry, is_rewritten) ==
              offsetof(PARTITION_INFORMATION_EX, RewritePartition));
static_assert(offsetof(PartitionEntry, gpt) == offsetof(PARTITION_INFORMATION_EX, Gpt));
static_assert(offsetof(PartitionEntry, mbr) == offsetof(PARTITION_INFORMATION_EX, Mbr));

static_assert(sizeof(DriveLayoutHead) == offsetof(DRIVE_LAYOUT_INFORMATION_EX, PartitionEntry));
static_assert(offsetof(DriveLayoutHead, count) ==
              offsetof(DRIVE_LAYOUT_INFORMATION_EX, PartitionCount));
static_assert(offsetof(DriveLayoutHead, gpt) == offsetof(DRIVE_LAYOUT_INFORMATION_EX, Gpt));
static_assert(offsetof(DriveLayoutHead, mbr) == offsetof(DRIVE_LAYOUT_INFORMATION_EX, Mbr));
static_assert(sizeof(GptLayout) == sizeof(DRIVE_LAYOUT_INFORMATION_GPT));
static_assert(offsetof(GptLayout, usable_offset) ==
              offsetof(DRIVE_LAYOUT_INFORMATION_GPT, StartingUsableOffset));
static_assert(offsetof(GptLayout, usable_length) ==
              offsetof(DRIVE_LAYOUT_INFORMATION_GPT, UsableLength));
static_assert(offsetof(GptLayout, most_partitions) ==
              offsetof(DRIVE_LAYOUT_INFORMATION_GPT, MaxPartitionCount));

static_assert(sizeof(CreateGptDisk) == sizeof(CREATE_DISK));
static_assert(offsetof(CreateGptDisk, disk_id) == offsetof(CREATE_DISK, Gpt));
static_assert(offsetof(CreateGptDisk, most_partitions) ==
              offsetof(CREATE_DISK, Gpt) + offsetof(CREATE_DISK_GPT, MaxPartitionCount));

static_assert(sizeof(IdDescriptorHead) == offsetof(STORAGE_DEVICE_ID_DESCRIPTOR, Identifiers));
static_assert(offsetof(IdDescriptorHead, count) ==
              offsetof(STORAGE_DEVICE_ID_DESCRIPTOR, NumberOfIdentifiers));
static_assert(sizeof(DeviceDescriptorHead) ==
              offsetof(STORAGE_DEVICE_DESCRIPTOR, RawDeviceProperties));
static_assert(offsetof(DeviceDescriptorHead, serial_number_offset) ==
              offsetof(STORAGE_DEVICE_DESCRIPTOR, SerialNumberOffset));

static_assert(sizeof(DeviceNumber) == sizeof(STORAGE_DEVICE_NUMBER));
static_assert(offsetof(DeviceNumber, number) == offsetof(STORAGE_DEVICE_NUMBER, DeviceNumber));
static_assert(kDiskDeviceType == FILE_DEVICE_DISK);

static_assert(sizeof(DiskExtentsHead) == offsetof(VOLUME_DISK_EXTENTS, Extents));
static_assert(sizeof(DiskExtentEntry) == sizeof(DISK_EXTENT));
static_assert(offsetof(DiskExtentEntry, offset) == offsetof(DISK_EXTENT, StartingOffset));
static_assert(offsetof(DiskExtentEntry, length) == offsetof(DISK_EXTENT, ExtentLength));
static_assert(kSizeInGeometry == offsetof(DISK_GEOMETRY_EX, DiskSize));
static_assert(sizeof(uint64_t) == sizeof(GET_LENGTH_INFORMATION));

}  // namespace
}  // namespace longshore::support
