// What is asked of volumes.
#include "volume/linux/volume_backend_linux.h"

#include <fcntl.h>

#include <algorithm>

#include "support/linux/block/device_content.h"
#include "support/linux/block/partition_nodes.h"
#include "volume/linux/filesystem_growth.h"
#include "volume/linux/volume_content.h"
#include "volume/superblock.h"

namespace longshore::volume {

using block::Content;
using block::ContentKind;
using block::KernelPartition;
using support::Mount;
using support::PosixPath;

VolumeBackendLinux::VolumeBackendLinux(Options options)
    : mounts_(options.roots, options.sysfs_root),
      opener_(std::move(options.roots)),
      allowed_filesystems_(std::move(options.allowed_filesystems)),
      mounts_read_only_disks_(options.mount_read_only_disks),
      skips_journal_replay_(options.skips_journal_replay),
      overwrites_unknown_data_(options.overwrites_unknown_data),
      unit_directories_(std::move(options.unit_directories)),
      devices_(std::move(options.disk_names), std::move(options.sysfs_root)),
      finder_(devices_, options.patience),
      maker_{std::move(options.filesystem), std::move(options.mkfs_directory)},
      records_(std::move(options.state_directory)) {}

std::string VolumeBackendLinux::bulkhead_of_disk(uint32_t number) {
  const Result<block::Disk> disk = devices_.disk(number, "find");
  return disk ? devices_.bulkhead_of(*disk) : std::string();
}

std::string VolumeBackendLinux::bulkhead_of_volume(const std::string& id) {
  const std::optional<block::Disk> disk = finder_.likely_disk_of(id);
  return disk ? devices_.bulkhead_of(*disk) : std::string();
}

Result<std::vector<std::string>> VolumeBackendLinux::list(uint32_t disk_number,
                                                          uint32_t partition_number,
                                                          const Deadline& deadline) {
  Result<std::vector<Volume>> volumes = finder_.volumes_on(disk_number);
  if (!volumes) return std::move(volumes).error();
  std::vector<std::string> ids;
  for (Volume& volume : *volumes) {
    const uint32_t number = volume.partition ? volume.partition->number : 0;
    if (partition_number != 0 && partition_number != number) continue;
    if (Result<void> there = wait_for_node_of(volume, deadline); !there) {
      return std::move(there).error();
    }
    ids.push_back(std::move(volume.id));
  }
  if (ids.empty() && partition_number != 0) {
    auto free = finder_.check_partition_not_held(disk_number, partition_number);
    if (!free) return free.error();
  }
  return ids;
}

// Of a disk that was attached a moment ago the kernel may know the partition before udev or
// devtmpfs has made the node. What the kernel does not know of is told to it by who changes it.
Result<void> VolumeBackendLinux::wait_for_node_of(const Volume& volume,
                                                  const Deadline& deadline) const {
  if (!volume.partition) return {};
  for (const KernelPartition& known : devices_.partitions(volume.disk)) {
    if (known.number == volume.partition->number && known.start == volume.partition->start) {
      return block::wait_for_node(known, deadline);
    }
  }
  return {};
}

Result<bool> VolumeBackendLinux::is_formatted(const std::string& id) {
  constexpr const char* kOperation = "tell whether there is a filesystem on the volume";
  const Result<Volume> volume = finder_.resolve(id, kOperation);
  if (!volume) return volume.error();
  const Result<Content> content = content_of(*volume, kOperation);
  if (!content) return content.error();
  return is_formatted(*volume, *content);
}

Result<uint32_t> VolumeBackendLinux::disk_number_of(const std::string& id) {
  // Drivers ask when they have unmounted it and taken its disk offline, too.
  const Result<Volume> volume = finder_.resolve_unserved(id, "find the disk of");
  if (volume) return volume->disk.number;
  constexpr uint32_t kNoDisk = 0;
  const auto lost = finder_.mounts_of_lost_disks();
  const bool is_lost = lost && std::ranges::count(*lost, id, &VolumeFinder::lost_id) != 0;
  return is_lost ? Result<uint32_t>(kNoDisk) : volume.error();
}

Result<VolumeStats> VolumeBackendLinux::stats(const std::string& id) {
  constexpr const char* kOperation = "tell the size of";
  const Result<Volume> volume = finder_.resolve_mounted(id, kOperation);
  if (!volume) return volume.error();
  if (auto served = VolumeFinder::check_served(*volume, kOperation); !served) {
    return served.error();
  }
  const Result<std::vector<Mount>> mounts = finder_.mounts_of(*volume);
  if (!mounts) return mounts.error();
  if (!mounts->empty()) return stats_of_mounted(*volume, *mounts);
  const VolumeStats nothing_used{volume->range().size, 0};
  const Result<Content> content = content_of(*volume, kOperation);
  if (!content) return content.error();
  if (content->kind != ContentKind::kFilesystem) return nothing_used;
  const auto superblock = superblock_of(*volume, content->type);
  if (!superblock) return superblock.error();
  return superblock->value_or(nothing_used);
}

Result<VolumeStats> VolumeBackendLinux::stats_of_mounted(const Volume& volume,
                                                         const std::vector<Mount>& mounts) const {
  const std::string& type = mounts.front().type;
  const Result<FileDescriptor> mount = open_mount(volume, mounts);
  if (!mount) return mount.error();
  std::optional<uint64_t> total;
  if (type.starts_with("ext")) {
    const auto superblock = superblock_of(volume, type);
    if (!superblock) return superblock.error();
    if (*superblock) total = (*superblock)->total;
  }
  return mounted_stats(type, *mount, total, volume.id);
}

Result<void> VolumeBackendLinux::flush(const std::string& id, const support::WarningLog& warnings) {
  constexpr const char* kFlush = "write what is unwritten of";
  const Result<Volume> volume = finder_.resolve_mounted(id, kFlush);
  if (!volume && volume.error().code() == StatusCode::kNotFound) {
    return flush_lost(id, volume.error(), warnings);
  }
  if (!volume) return volume.error();
  const Result<std::vector<Mount>> mounts = finder_.mounts_of(*volume);
  if (!mounts) return mounts.error();
  const auto failed = [&](const std::error_code& error) {
    return Error(StatusCode::kUnknown, kFlush, volume->id).because(error);
  };
  if (!mounts->empty()) {
    const Result<FileDescriptor> mount = open_mount(*volume, *mounts);
    if (!mount) return mount.error();
    if (const std::error_code error = error_unless(::syncfs(mount->get()) == 0)) {
      return failed(error);
    }
  }
  const Result<Source> source = open_source(*volume, kFlush);
  if (!source) return source.error();
  const std::error_code error = error_unless(::fsync(source->descriptor.get()) == 0);
  return error ? failed(error) : Result<void>();
}

Result<void> VolumeBackendLinux::flush_lost(const std::string& id, const Error& unknown,
                                            const support::WarningLog& warnings) const {
  const Result<std::vector<Mount>> lost = finder_.mounts_of_lost_disks();
  if (!lost) return lost.error();
  if (lost->empty()) return unknown;
  std::string points;
  for (const Mount& mount : *lost) {
    // A disk that only lost its table or superblock can still be written to.
    const FileDescriptor root(::open(mount.point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (root) ::syncfs(root.get());
    points.append(points.empty() ? "\"" : ", \"").append(mount.point).append("\"");
  }
  warnings.write("no disk has the volume " + id + " any more, which may be what is mounted on " +
                 points + ": what was not written to it is lost");
  return {};
}

// Through the partition's own node where the kernel has one: what is written through it (by mkfs,
// by a mounted filesystem) is not seen through the disk's, which has a page cache of its own.
Result<VolumeBackendLinux::Source> VolumeBackendLinux::open_source(
    const Volume& volume, std::string_view operation) const {
  if (volume.partition) {
    for (const KernelPartition& known : devices_.partitions(volume.disk)) {
      if (known.number != volume.partition->number || known.start != volume.partition->start) {
        continue;
      }
      auto opened =
          block::open_node(known.node, known.device, volume.disk.number, O_RDONLY, operation);
      if (!opened) return std::move(opened).error();
      return Source{*std::move(opened), {0, known.sectors * block::kSectorBytes}, known.device};
    }
  }
  Result<FileDescriptor> opened = block::open_disk(volume.disk, O_RDONLY, operation);
  if (!opened) return std::move(opened).error();
  const block::ByteRange range = volume.range();
  // What was read when the kernel had the partition, or before it was written there, is no news.
  ::posix_fadvise(opened->get(), static_cast<off_t>(range.offset), static_cast<off_t>(range.size),
                  POSIX_FADV_DONTNEED);
  return Source{*std::move(opened), range, volume.partition ? 0 : volume.disk.device};
}

Result<Content> VolumeBackendLinux::content_of(const Volume& volume,
                                               std::string_view operation) const {
  const Result<Source> source = open_source(volume, operation);
  if (!source) return source.error();
  return read_volume_content(source->descriptor, source->range, volume.id, source->device);
}

Result<std::string> VolumeBackendLinux::read_start(const Volume& volume) const {
  constexpr const char* kOperation = "read the superblock of";
  const Result<Source> source = open_source(volume, kOperation);
  if (!source) return source.error();
  std::string start(std::min<uint64_t>(kSuperblockBytes, source->range.size), '\0');
  const ssize_t size = ::pread(source->descriptor.get(), start.data(), start.size(),
                               static_cast<off_t>(source->range.offset));
  if (const std::error_code error = error_unless(size >= 0)) {
    return Error(StatusCode::kUnknown, kOperation, volume.id).because(error);
  }
  start.resize(static_cast<size_t>(size));
  return start;
}

Result<std::optional<VolumeStats>> VolumeBackendLinux::superblock_of(
    const Volume& volume, const std::string& type) const {
  const Result<std::string> start = read_start(volume);
  if (!start) return start.error();
  return read_superblock(type, *start);
}

}  // namespace longshore::volume
