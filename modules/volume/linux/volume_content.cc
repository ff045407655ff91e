#include "volume/linux/volume_content.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "support/linux/mount_table.h"
#include "volume/linux/mounted_device.h"
#include "volume/superblock.h"

namespace longshore::volume {

using block::ByteRange;
using block::Content;
using block::ContentKind;
using block::Signature;
using support::Mount;

namespace {

constexpr uint64_t kFrontBytes = 16 << 10;
constexpr uint64_t kZfsLabelBytes = 256 << 10;

// Whether what the signature stands for is there, as far as the filesystem tells whose superblock
// is valid and which is so large.
bool counts_beside(const Signature& other, uint64_t filesystem_bytes) {
  if (other.place < kFrontBytes) return true;
  if (other.type == "zfs_member") return other.place < kZfsLabelBytes;
  return other.kind == ContentKind::kMember && other.place >= filesystem_bytes;
}

bool is_mounted(dev_t device, const Signature& filesystem) {
  if (device == 0) return false;
  const Result<std::vector<Mount>> mounts = support::read_mounts();
  return mounts && std::ranges::any_of(*mounts, [&](const Mount& mount) {
           return kernel_name(filesystem.type) == mount.type && block_device_of(mount) == device &&
                  !is_another(mount, "UUID=" + filesystem.uuid);
         });
}

}  // namespace

Result<Content> read_volume_content(const FileDescriptor& disk, const ByteRange& range,
                                    const std::string& object, dev_t device) {
  Result<Content> content = block::read_content(disk, range, object);
  if (!content || content->signatures.empty()) return content;
  std::string start(std::min<uint64_t>(kSuperblockBytes, range.size), '\0');
  const ssize_t size =
      ::pread(disk.get(), start.data(), start.size(), static_cast<off_t>(range.offset));
  if (const std::error_code error = error_unless(size >= 0)) {
    return Error(StatusCode::kUnknown, "read the superblock of", object).because(error);
  }
  start.resize(static_cast<size_t>(size));

  for (const Signature& own : content->signatures) {
    const std::optional<VolumeStats> stats = read_superblock(own.type, start);
    // What an mkfs has not ended is no filesystem.
    if (!stats || own.has_wrong_checksum || is_unfinished_xfs(start)) continue;
    const bool is_sure = std::ranges::none_of(content->signatures, [&](const Signature& other) {
      return other != own && counts_beside(other, stats->total);
    });
    if (!is_sure && !is_mounted(device, own)) {
      content->kind = ContentKind::kAmbiguous;
      continue;
    }
    content->kind = ContentKind::kFilesystem;
    content->type = own.type;
    content->uuid = own.uuid;
    content->device_uuid = own.device_uuid;
    break;
  }
  return content;
}

Error lacks_filesystem(const Content& content, std::string_view operation,
                       const std::string& object, const std::string& volume_id) {
  Error failure(StatusCode::kFailedPrecondition, std::string(operation), object);
  if (content.kind == ContentKind::kNothing || content.kind == ContentKind::kFilesystem) {
    return std::move(failure)
        .because("the volume " + volume_id + " holds no filesystem")
        .advise("FormatVolume makes one");
  }
  return std::move(failure)
      .because("the volume " + volume_id + " holds " + block::describe(content))
      .advise("nothing that is there is touched; what is mounted by hand is known by its id");
}

}  // namespace longshore::volume
