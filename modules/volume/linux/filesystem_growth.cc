#include "volume/linux/filesystem_growth.h"

#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstddef>

#include "support/hexadecimal.h"

namespace longshore::volume {

namespace {

// Debian's linux-libc-dev has no header of ext4's and xfs's ioctls; the numbers and structures are
// the kernel's user interface and do not change.
constexpr unsigned long kExt4Resize = _IOW('f', 16, uint64_t);  // the new count of blocks

struct XfsGrowth {
  uint64_t blocks;
  uint32_t max_inode_percent;
};
constexpr unsigned long kXfsGrow = _IOW('X', 110, XfsGrowth);

struct XfsGeometry {  // xfs_fsop_geom_v1
  uint32_t block_bytes, extent_blocks, group_blocks, group_count, log_blocks, sector_bytes;
  uint32_t inode_bytes, max_inode_percent;
  uint64_t data_blocks, realtime_blocks, realtime_extents, log_start;
  unsigned char uuid[16];
  uint32_t stripe_unit, stripe_width;
  int32_t version;
  uint32_t flags, log_sector_bytes, realtime_sector_bytes, directory_block_bytes;
};
constexpr unsigned long kXfsGeometry = _IOR('X', 100, XfsGeometry);

struct Ext4Uuid {
  uint32_t bytes, flags;
  unsigned char uuid[16];
};
// The kernel's structure ends before the uuid.
constexpr unsigned long kExt4Uuid = _IOC(_IOC_READ, 'f', 44, offsetof(Ext4Uuid, uuid));

std::error_code grow_ext4(int mount, uint64_t bytes) {
  struct statvfs facts {};
  if (const std::error_code error = error_unless(::fstatvfs(mount, &facts) == 0)) return error;
  uint64_t blocks = bytes / facts.f_bsize;
  return error_unless(::ioctl(mount, kExt4Resize, &blocks) == 0);
}

std::error_code grow_xfs(int mount, uint64_t bytes) {
  XfsGeometry geometry{};
  if (const std::error_code error = error_unless(::ioctl(mount, kXfsGeometry, &geometry) == 0)) {
    return error;
  }
  XfsGrowth growth{bytes / geometry.block_bytes, geometry.max_inode_percent};
  if (growth.blocks <= geometry.data_blocks) return {};
  return error_unless(::ioctl(mount, kXfsGrow, &growth) == 0);
}

// Of a btrfs on several disks only the given one grows: "<its number in the filesystem>:max".
std::error_code grow_btrfs(int mount, dev_t device) {
  btrfs_ioctl_fs_info_args filesystem{};
  if (const std::error_code error =
          error_unless(::ioctl(mount, BTRFS_IOC_FS_INFO, &filesystem) == 0)) {
    return error;
  }
  for (uint64_t number = 1; number <= filesystem.max_id; ++number) {
    btrfs_ioctl_dev_info_args member{};
    member.devid = number;
    if (::ioctl(mount, BTRFS_IOC_DEV_INFO, &member) != 0) continue;  // there is none any more
    struct stat status {};
    const auto* path = reinterpret_cast<const char*>(member.path);
    if (::stat(path, &status) != 0 || status.st_rdev != device) continue;
    btrfs_ioctl_vol_args request{};
    const std::string text = std::to_string(number) + ":max";
    text.copy(request.name, sizeof(request.name) - 1);
    return error_unless(::ioctl(mount, BTRFS_IOC_RESIZE, &request) == 0);
  }
  return std::make_error_code(std::errc::no_such_device);
}

std::string uuid_text(const unsigned char (&uuid)[16]) {
  std::string text = support::hexadecimal({reinterpret_cast<const char*>(uuid), sizeof(uuid)});
  if (text.find_first_not_of('0') == std::string::npos) return "";
  for (const size_t hyphen : {20U, 16U, 12U, 8U}) text.insert(hyphen, 1, '-');
  return text;
}

}  // namespace

bool can_grow(const std::string& type) {
  return type == "ext4" || type == "xfs" || type == "btrfs";
}

Result<void> grow_filesystem(const std::string& type, const FileDescriptor& mount, dev_t device,
                             uint64_t bytes, const std::string& object) {
  std::error_code error;
  if (type == "ext4") {
    error = grow_ext4(mount.get(), bytes);
  } else if (type == "xfs") {
    error = grow_xfs(mount.get(), bytes);
  } else {
    error = grow_btrfs(mount.get(), device);
  }
  if (!error) return {};
  Error failure =
      Error(StatusCode::kUnknown, "let the " + type + " filesystem grow on", object).because(error);
  if (type == "ext4" && error == std::errc::operation_not_permitted) {
    return std::move(failure).advise(
        "ext4 asks for CAP_SYS_RESOURCE, and for a filesystem without errors: if the kernel's log "
        "tells of such, unmount it and run e2fsck");
  }
  if (type == "btrfs" && error == std::errc::invalid_argument) {
    return std::move(failure).advise("btrfs takes no size below 256 MiB");
  }
  return failure;
}

Result<VolumeStats> mounted_stats(const std::string& type, const FileDescriptor& mount,
                                  std::optional<uint64_t> total, const std::string& object) {
  struct statvfs facts {};
  if (const std::error_code error = error_unless(::fstatvfs(mount.get(), &facts) == 0)) {
    return Error(StatusCode::kUnknown, "tell the size of", object).because(error);
  }
  // statvfs leaves xfs's log out as well.
  XfsGeometry geometry{};
  if (type == "xfs" && ::ioctl(mount.get(), kXfsGeometry, &geometry) == 0) {
    total = geometry.data_blocks * geometry.block_bytes;
  }
  const uint64_t size = total.value_or(uint64_t{facts.f_blocks} * facts.f_frsize);
  const uint64_t free = uint64_t{facts.f_bfree} * facts.f_frsize;
  return VolumeStats{size, size - std::min(free, size)};
}

std::string mounted_uuid(const std::string& type, const FileDescriptor& mount) {
  if (type == "ext4") {
    Ext4Uuid answer{.bytes = sizeof(answer.uuid), .flags = 0, .uuid = {}};
    if (::ioctl(mount.get(), kExt4Uuid, &answer) == 0) return uuid_text(answer.uuid);
  } else if (type == "xfs") {
    XfsGeometry answer{};
    if (::ioctl(mount.get(), kXfsGeometry, &answer) == 0) return uuid_text(answer.uuid);
  } else if (type == "btrfs") {
    btrfs_ioctl_fs_info_args answer{};
    answer.flags = BTRFS_FS_INFO_FLAG_METADATA_UUID;
    const bool is_told = ::ioctl(mount.get(), BTRFS_IOC_FS_INFO, &answer) == 0;
    // They differ where it is mounted beside its copy, by a uuid of the kernel's own (Linux 6.7).
    if (is_told && std::ranges::equal(answer.fsid, answer.metadata_uuid)) {
      return uuid_text(answer.fsid);
    }
  }
  return "";
}

}  // namespace longshore::volume
