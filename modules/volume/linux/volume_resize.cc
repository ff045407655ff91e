// ResizeVolume on Linux: the partition's end, the kernel's idea of it, then the filesystem.
//
// Each step is left out where it is done already, so a call that was cut short goes on when it is
// repeated.
#include <fcntl.h>

#include <algorithm>

#include "support/linux/block/device_content.h"
#include "support/linux/block/partition_nodes.h"
#include "support/linux/block/partition_table.h"
#include "volume/linux/detached_mount.h"
#include "volume/linux/filesystem_growth.h"
#include "volume/linux/volume_backend_linux.h"
#include "volume/linux/volume_content.h"

namespace longshore::volume {

using block::Content;
using block::ContentKind;
using support::Mount;

namespace {

constexpr const char* kResize = "resize";
constexpr uint64_t kMebibyte = 1 << 20;
// With size 0, less than this is not worth a change: csi-proxy's rule since its 1.2.0.
constexpr uint64_t kTolerance = 100 * kMebibyte;

// The table's copy behind a volume, and the alignment of its end.
constexpr uint64_t kBehind = 2 * kMebibyte;
// The table, and Microsoft's reserved partition, which may be before the volume.
constexpr uint64_t kMostBefore = 17 * kMebibyte;

// What a volume cannot have of its disk, though no other volume has it. Drivers ask for the size of
// the disk, so what lacks no more than this is as large as asked for.
uint64_t beside(const Volume& volume) {
  return std::min(volume.range().offset, kMostBefore) + kBehind;
}

bool is_large_enough(const Volume& volume, uint64_t total, uint64_t size) {
  if (size != 0) return total + beside(volume) >= size;
  return volume.range().offset + total + kBehind + kTolerance > volume.disk.size_in_bytes();
}

Error cannot_grow(const Volume& volume, const std::string& type) {
  Error failure = Error(StatusCode::kUnimplemented, kResize, volume.id)
                      .because("it holds " + type + "; only ext4, xfs and btrfs grow by this call");
  if (type != "ntfs") return failure;
  return std::move(failure).advise(
      "unmount it, make its partition larger, run ntfsresize and ntfsfix --clear-dirty on it, and "
      "mount it again");
}

}  // namespace

Result<void> VolumeBackendLinux::resize(const std::string& id, uint64_t size,
                                        const Deadline& deadline) {
  Result<Locked> locked = lock(id, deadline, kResize);
  if (!locked) return std::move(locked).error();
  const Volume& volume = locked->volume;
  const Result<Content> content = content_of(volume, kResize);
  if (!content) return content.error();
  if (content->kind != ContentKind::kFilesystem) {
    return lacks_filesystem(*content, kResize, volume.id, volume.id);
  }
  const auto superblock = superblock_of(volume, content->type);
  if (!superblock) return superblock.error();
  if (!can_grow(content->type)) {
    if (*superblock && is_large_enough(volume, (*superblock)->total, size)) return {};
    return cannot_grow(volume, content->type);
  }
  const Result<uint64_t> bytes = device_bytes_for(*locked, size);
  if (!bytes) return bytes.error();

  // Asking ext4 for the size that it has needs a privilege too, so it is not asked. The total of a
  // btrfs on several disks tells nothing of this one.
  const uint64_t wanted = size == 0 ? *bytes - std::min(*bytes, kMebibyte) : std::min(size, *bytes);
  const bool is_alone = volume.other_nodes.empty();
  const bool grows_partition = *bytes > volume.range().size;
  if (!grows_partition && is_alone && *superblock && (*superblock)->total >= wanted) return {};
  if (auto writable = check_writable(*locked, kResize); !writable) return writable;
  // Before anything is changed: what the kernel does not mount does not grow.
  const auto filesystem = open_filesystem(*locked, content->type);
  if (!filesystem) return filesystem.error();
  if (grows_partition) {
    if (auto grown = grow_partition(*locked, *bytes); !grown) return grown;
  }
  return grow_filesystem(content->type, filesystem->directory, locked->device, *bytes, volume.id);
}

// What the device is to have in the end, which is never less than it has.
Result<uint64_t> VolumeBackendLinux::device_bytes_for(const Locked& locked, uint64_t size) const {
  const Volume& volume = locked.volume;
  const uint64_t disk_bytes = volume.disk.size_in_bytes();
  if (size > disk_bytes) {
    return Error(StatusCode::kOutOfRange, kResize, volume.id)
        .because("its disk has " + std::to_string(disk_bytes) + " bytes, " + std::to_string(size) +
                 " are asked for")
        .advise("if the disk has grown, Rescan makes the node see it");
  }
  if (!volume.partition) return disk_bytes;
  const uint64_t now = volume.range().size;
  if (size != 0 && size <= now) return now;

  // Drivers call this for what is mounted for reading, too, and nothing to grow is success.
  const Result<FileDescriptor> disk = block::open_disk(volume.disk, O_RDONLY, kResize);
  if (!disk) return disk.error();
  Result<block::PartitionTable> table = block::PartitionTable::open(volume.disk, *disk);
  if (!table) return std::move(table).error();
  const Result<uint64_t> largest = table->largest_size(volume.partition->number);
  if (!largest) return largest.error();
  // A size that the disk has and the partition cannot reach is taken as all there is.
  if (size > *largest + beside(volume)) {
    return Error(StatusCode::kOutOfRange, kResize, volume.id)
        .because("it can have " + std::to_string(*largest) + " bytes at its place, " +
                 std::to_string(size) + " are asked for")
        .advise("another partition begins behind it");
  }
  const uint64_t rounded = (size + kMebibyte - 1) / kMebibyte * kMebibyte;
  const uint64_t wanted = size == 0 ? *largest : std::min(rounded, *largest);
  if (wanted <= now || (size == 0 && wanted - now < kTolerance)) return now;
  return wanted;
}

// In the table, then in the kernel.
Result<void> VolumeBackendLinux::grow_partition(Locked& locked, uint64_t bytes) {
  block::TablePartition& partition = *locked.volume.partition;
  const Result<FileDescriptor> disk = block::open_disk(locked.volume.disk, O_RDWR, kResize);
  if (!disk) return disk.error();
  Result<block::PartitionTable> table = block::PartitionTable::open(locked.volume.disk, *disk);
  if (!table) return std::move(table).error();
  if (auto set = table->set_size(partition.number, bytes); !set) return set;
  if (auto written = table->write(); !written) return written;
  partition.sectors = bytes / block::kSectorBytes;
  const auto known = block::ensure_kernel_partition(devices_, locked.volume.disk,
                                                    locked.lock.descriptor(), partition);
  if (!known) return known.error();
  return {};
}

Result<VolumeBackendLinux::OpenedFilesystem> VolumeBackendLinux::open_filesystem(
    const Locked& locked, const std::string& type) const {
  const Volume& volume = locked.volume;
  const Result<std::vector<Mount>> mounts = finder_.mounts_of(volume);
  if (!mounts) return mounts.error();
  if (!mounts->empty()) {
    Result<FileDescriptor> directory = open_mount(volume, *mounts);
    if (!directory) return std::move(directory).error();
    return OpenedFilesystem{.directory = *std::move(directory)};
  }
  Result<DetachedMount> mount =
      mount_detached({.type = type, .node = locked.node, .other_nodes = volume.other_nodes});
  if (!mount) return std::move(mount).error();
  FileDescriptor root(::openat(mount->descriptor.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return Error(StatusCode::kUnknown, kResize, volume.id).because(root.error());
  return OpenedFilesystem{.directory = std::move(root), .mount = std::move(mount->descriptor)};
}

}  // namespace longshore::volume
