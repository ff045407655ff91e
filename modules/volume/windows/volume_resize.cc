// ResizeVolume on Windows: the partition's end, then the filesystem.
//
// The largest size comes of the table, and not of MSFT_Partition.GetSupportedSize, which the
// service of defragmentation has to be there for. Each step is left out where it is done already,
// so a call that was cut short goes on when it is repeated.
#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <algorithm>

#include "support/windows/disk_answers.h"
#include "support/windows/system_error.h"
#include "volume/windows/volume_backend_windows.h"

namespace longshore::volume {

using support::DeviceControl;
using support::DiskDevice;
using support::DriveLayout;

namespace {

constexpr const char* kResize = "resize";
constexpr uint64_t kMebibyte = 1 << 20;
// With size 0, less than this is not worth a change: csi-proxy's rule since its 1.2.0.
constexpr uint64_t kTolerance = 100 * kMebibyte;
// What a volume cannot have of its disk, though no other volume has it: the table's copy behind it,
// and before it the table and Microsoft's reserved partition. Drivers ask for the size of the disk,
// so what lacks no more than this is as large as asked for.
constexpr uint64_t kBehind = 2 * kMebibyte;
constexpr uint64_t kMostBefore = 17 * kMebibyte;

uint64_t beside(const Volume& volume) {
  return std::min(volume.first().offset, kMostBefore) + kBehind;
}

Error too_large(const Volume& volume, const std::string& why) {
  return Error(StatusCode::kOutOfRange, kResize, volume.id).because(why);
}

}  // namespace

Result<void> VolumeBackendWindows::resize(const std::string& id, uint64_t size,
                                          const Deadline& deadline) {
  const Result<Volume> volume = finder_.find(id, kResize);
  if (!volume) return volume.error();
  const Result<Content> content = content_of(*volume, kResize);
  if (!content) return content.error();
  if (!content->is_mountable) {
    return Error(StatusCode::kFailedPrecondition, kResize, volume->id)
        .because("it holds no filesystem of Windows'")
        .advise("FormatVolume makes one");
  }
  if (volume->extents.size() > 1) {
    return Error(StatusCode::kUnimplemented, kResize, volume->id)
        .because("it lies on several stretches of disks");
  }
  if (auto exceeded = deadline.exceeded(kResize, volume->id)) return *std::move(exceeded);
  const Result<uint64_t> bytes = grow_partition(*volume, size);
  if (!bytes) return bytes.error();
  const auto space = layers_.volumes.space(volume->name());
  if (space.error) {
    return Error(support::status_code_of_windows(space.error), kResize, volume->id)
        .because(space.error);
  }
  if (space.total + kMebibyte >= *bytes) return {};
  if (auto writable = check_writable(*volume, kResize); !writable) return writable;
  return grow_filesystem(*volume, *bytes);
}

// What the partition has in the end.
Result<uint64_t> VolumeBackendWindows::grow_partition(const Volume& volume, uint64_t size) {
  Result<DiskDevice> disk =
      DiskDevice::open(layers_.devices, volume.disk(), DeviceControl::Access::kWrite, kResize);
  if (!disk) return std::move(disk).error();
  // Windows keeps the size that a disk had, and the end of its table, until it is told to look.
  if (auto seen = disk->update_properties(); !seen) return std::move(seen).error();
  const Result<uint64_t> disk_bytes = disk->size_in_bytes();
  if (!disk_bytes) return disk_bytes.error();
  if (size > *disk_bytes) {
    return too_large(volume, "its disk has " + std::to_string(*disk_bytes) + " bytes, " +
                                 std::to_string(size) + " are asked for")
        .advise("if the disk has grown, Rescan makes the node see it");
  }
  const Result<DriveLayout> layout = disk->layout();
  if (!layout) return layout.error();
  const uint64_t place = volume.first().offset;
  const support::PartitionEntry* partition = layout->partition_at(place);
  const auto largest = layout->largest_length(place, *disk_bytes);
  if (partition == nullptr || !largest) {
    return Error(StatusCode::kUnimplemented, kResize, volume.id)
        .because("it is no partition of its disk's own table, as an MBR's logical drives are not");
  }
  const uint64_t now = partition->length;
  if (size != 0 && size <= now) return now;
  // A size that the disk has and the partition cannot reach is taken as all there is.
  if (size > *largest + beside(volume)) {
    return too_large(volume, "it can have " + std::to_string(*largest) + " bytes at its place, " +
                                 std::to_string(size) + " are asked for")
        .advise("another partition begins behind it");
  }
  const uint64_t rounded = (size + kMebibyte - 1) / kMebibyte * kMebibyte;
  const uint64_t wanted = size == 0 ? *largest : std::min(rounded, *largest);
  if (wanted <= now || (size == 0 && wanted - now < kTolerance)) return now;
  // Not before: drivers call this for what is mounted for reading, too, and nothing to grow is
  // success.
  if (auto writable = check_writable(volume, kResize); !writable) return writable.error();
  auto grown = disk->grow_partition(partition->number, wanted - now);
  if (!grown) return std::move(grown).error();
  return wanted;
}

Result<void> VolumeBackendWindows::grow_filesystem(const Volume& volume, uint64_t bytes) const {
  const auto device = open_device(volume, DeviceControl::Access::kWrite, kResize);
  if (!device) return device.error();
  const auto answer = (*device)->control(IOCTL_DISK_GET_DRIVE_GEOMETRY, {}, sizeof(DISK_GEOMETRY));
  const auto geometry = support::structure_at<DISK_GEOMETRY>(answer.bytes);
  constexpr DWORD kSector = 512;
  const bool is_told = !answer.error && geometry && geometry->BytesPerSector >= kSector;
  const uint64_t sector = is_told ? geometry->BytesPerSector : kSector;
  const auto sectors = static_cast<LONGLONG>(bytes / sector);
  const auto extended = (*device)->control(FSCTL_EXTEND_VOLUME, support::bytes_of(sectors), 0);
  if (!extended.error) return {};
  return Error(support::status_code_of_windows(extended.error),
               std::string(kResize) + " by FSCTL_EXTEND_VOLUME", volume.id)
      .because(extended.error);
}

}  // namespace longshore::volume
