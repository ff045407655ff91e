// What is asked of volumes, and what every change begins with.
#include "volume/linux/volume_backend_linux.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "support/linux/block/device_content.h"
#include "support/linux/block/disk_use.h"
#include "support/linux/block/partition_nodes.h"
#include "volume/linux/filesystem_growth.h"
#include "volume/superblock.h"

namespace longshore::volume {

using block::Content;
using block::ContentKind;
using block::DiskLock;
using block::KernelPartition;
using support::Mount;
using support::PosixPath;

VolumeBackendLinux::VolumeBackendLinux(Options options)
    : mounts_(options.roots),
      opener_(std::move(options.roots)),
      devices_(std::move(options.disk_names), std::move(options.sysfs_root)),
      finder_(devices_),
      maker_{std::move(options.filesystem), std::move(options.mkfs_directory)},
      records_(std::move(options.state_directory)) {}

Result<std::vector<std::string>> VolumeBackendLinux::list(uint32_t disk_number,
                                                          uint32_t partition_number) {
  Result<std::vector<Volume>> volumes = finder_.volumes_on(disk_number);
  if (!volumes) return std::move(volumes).error();
  std::vector<std::string> ids;
  for (Volume& volume : *volumes) {
    const uint32_t number = volume.partition ? volume.partition->number : 0;
    if (partition_number == 0 || partition_number == number) ids.push_back(std::move(volume.id));
  }
  return ids;
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
  const Result<Volume> volume = finder_.resolve(id, "find the disk of");
  if (!volume) return volume.error();
  return volume->disk.number;
}

Result<VolumeStats> VolumeBackendLinux::stats(const std::string& id) {
  constexpr const char* kOperation = "tell the size of";
  const Result<Volume> volume = finder_.resolve_mounted(id, kOperation);
  if (!volume) return volume.error();
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

Result<void> VolumeBackendLinux::flush(const std::string& id) {
  constexpr const char* kFlush = "write what is unwritten of";
  const Result<Volume> volume = finder_.resolve_mounted(id, kFlush);
  if (!volume) return volume.error();
  const Result<std::vector<Mount>> mounts = finder_.mounts_of(*volume);
  if (!mounts) return mounts.error();
  const auto failed = [&] {
    return Error(StatusCode::kUnknown, kFlush, volume->id).because(last_error());
  };
  if (!mounts->empty()) {
    const Result<FileDescriptor> mount = open_mount(*volume, *mounts);
    if (!mount) return mount.error();
    if (::syncfs(mount->get()) != 0) return failed();
  }
  const Result<Source> source = open_source(*volume, kFlush);
  if (!source) return source.error();
  if (::fsync(source->descriptor.get()) != 0) return failed();
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
      return Source{*std::move(opened), {0, known.sectors * block::kSectorBytes}};
    }
  }
  Result<FileDescriptor> opened = block::open_disk(volume.disk, O_RDONLY, operation);
  if (!opened) return std::move(opened).error();
  const block::ByteRange range = volume.range();
  // What was read when the kernel had the partition, or before it was written there, is no news.
  ::posix_fadvise(opened->get(), static_cast<off_t>(range.offset), static_cast<off_t>(range.size),
                  POSIX_FADV_DONTNEED);
  return Source{*std::move(opened), range};
}

Result<Content> VolumeBackendLinux::content_of(const Volume& volume,
                                               std::string_view operation) const {
  const Result<Source> source = open_source(volume, operation);
  if (!source) return source.error();
  return block::read_content(source->descriptor, source->range, volume.id);
}

Result<std::string> VolumeBackendLinux::read_start(const Volume& volume) const {
  constexpr const char* kOperation = "read the superblock of";
  const Result<Source> source = open_source(volume, kOperation);
  if (!source) return source.error();
  std::string start(std::min<uint64_t>(kSuperblockBytes, source->range.size), '\0');
  const ssize_t size = ::pread(source->descriptor.get(), start.data(), start.size(),
                               static_cast<off_t>(source->range.offset));
  if (size < 0) return Error(StatusCode::kUnknown, kOperation, volume.id).because(last_error());
  start.resize(static_cast<size_t>(size));
  return start;
}

Result<std::optional<VolumeStats>> VolumeBackendLinux::superblock_of(
    const Volume& volume, const std::string& type) const {
  const Result<std::string> start = read_start(volume);
  if (!start) return start.error();
  return read_superblock(type, *start);
}

// The allowed roots are the node's own, also where nothing else of it is seen, as in a container.
std::vector<std::string> VolumeBackendLinux::needed_directories() const {
  std::vector<std::string> directories;
  for (const PosixPath& root : opener_.roots().roots()) directories.push_back(root.text());
  return directories;
}

Result<VolumeBackendLinux::Locked> VolumeBackendLinux::lock(const std::string& id,
                                                            const Deadline& deadline,
                                                            std::string_view operation) {
  // A second time if the node had to be waited for, which must not be done with the lock.
  for (int attempt = 0; attempt < 2; ++attempt) {
    Result<Volume> volume = finder_.resolve(id, operation);
    if (!volume) return std::move(volume).error();
    const auto allowed =
        block::check_not_system_disk(devices_, volume->disk, operation, needed_directories());
    if (!allowed) return allowed.error();
    KernelPartition awaited;
    {
      Result<DiskLock> lock = DiskLock::take(volume->disk, deadline, operation);
      if (!lock) return std::move(lock).error();
      if (auto same = check_unchanged(*volume, *lock, operation); !same) {
        return std::move(same).error();
      }
      if (!volume->partition) {
        return Locked{*volume, *std::move(lock), volume->disk.node, volume->disk.device};
      }
      const auto known = block::ensure_kernel_partition(devices_, volume->disk, lock->descriptor(),
                                                        *volume->partition);
      if (!known) return known.error();
      struct stat status {};
      if (::stat(known->node.c_str(), &status) == 0 && status.st_rdev == known->device) {
        return Locked{*volume, *std::move(lock), known->node, known->device};
      }
      awaited = *known;
    }
    if (Result<void> there = block::wait_for_node(awaited, deadline); !there) return there.error();
  }
  return Error(StatusCode::kAborted, std::string(operation), id)
      .because("its node in /dev comes and goes")
      .advise("try again");
}

// Before the lock was taken, the table or the filesystem on the whole disk may have been made anew.
Result<void> VolumeBackendLinux::check_unchanged(const Volume& volume, const DiskLock& lock,
                                                 std::string_view operation) const {
  bool is_same = false;
  if (volume.partition) {
    const auto partitions = block::read_partitions(lock.descriptor(), volume.disk.node);
    if (!partitions) return partitions.error();
    is_same = std::ranges::find(*partitions, *volume.partition) != partitions->end();
  } else {
    const Result<Content> content =
        block::read_content(lock.descriptor(), whole(volume.disk), volume.disk.node);
    if (!content) return content.error();
    is_same = VolumeFinder::is_named(volume, "UUID=" + content->uuid);
  }
  if (is_same) return {};
  return Error(StatusCode::kAborted, std::string(operation), volume.id)
      .because("what is on the disk has just been changed")
      .advise("try again");
}

Result<void> VolumeBackendLinux::check_writable(const Volume& volume,
                                                std::string_view operation) const {
  if (!volume.disk.read_only) return {};
  return Error(StatusCode::kFailedPrecondition, std::string(operation), volume.id)
      .because("its disk is read-only");
}

}  // namespace longshore::volume
