// FormatVolume on Linux.
#include <fcntl.h>

#include "support/linux/block/device_content.h"
#include "support/linux/block/unknown_data.h"
#include "volume/linux/detached_mount.h"
#include "volume/linux/mounted_device.h"
#include "volume/linux/volume_backend_linux.h"
#include "volume/superblock.h"

namespace longshore::volume {

using block::Content;
using block::ContentKind;
using support::Mount;

namespace {

Error refused(const Volume& volume, const std::string& why) {
  return Error(StatusCode::kFailedPrecondition, kFormatOperation, volume.id).because(why);
}

}  // namespace

Result<void> VolumeBackendLinux::format(const std::string& id, const Deadline& deadline) {
  const Result<Locked> locked = lock(id, deadline, kFormatOperation);
  if (!locked) return locked.error();
  const Result<bool> needed = needs_format(locked->volume);
  if (!needed) return needed.error();
  if (!*needed) return finish_format(*locked);
  if (auto writable = check_writable(*locked, kFormatOperation); !writable) return writable;
  if (auto possible = maker_.check(locked->volume.id); !possible) return possible;
  auto mountable =
      allowed_filesystems_.check(maker_.filesystem, kFormatOperation, locked->volume.id);
  if (!mountable) return mountable;
  return make_filesystem(*locked);
}

// False: it was formatted here and not mounted since.
Result<bool> VolumeBackendLinux::needs_format(const Volume& volume) const {
  const Result<std::vector<Mount>> mounts = finder_.mounts_of(volume);
  if (!mounts) return mounts.error();
  if (!mounts->empty()) return refused(volume, "it is mounted on " + mounts->front().point);
  const Result<Content> content = content_of(volume, kFormatOperation);
  if (!content) return content.error();
  const Result<bool> formatted = is_formatted(volume, *content);
  if (!formatted) return formatted.error();
  if (!*formatted) {
    // Of another kind is only an xfs that is not finished.
    if (content->kind == ContentKind::kNothing) {
      if (auto blank = check_blank(volume); !blank) return blank.error();
    }
    return true;
  }
  const Result<bool> is_ours = records_.contains(VolumeFinder::plain_id(volume), content->uuid);
  if (!is_ours) return is_ours.error();
  if (*is_ours) return false;
  return refused(volume, "it holds " + block::describe(*content))
      .advise("what a volume holds is never overwritten; MountVolume mounts a filesystem");
}

// The agent may have been killed before it looked whether the kernel mounts what mkfs was making.
// Nothing is taken away here: another node may have written on it since.
Result<void> VolumeBackendLinux::finish_format(const Locked& locked) {
  const std::string plain_id = VolumeFinder::plain_id(locked.volume);
  const auto begun = records_.is_begun(plain_id, locked.volume.id);
  if (!begun) return begun.error();
  if (!*begun) return {};
  const Result<Content> content = content_of(locked.volume, kFormatOperation);
  if (!content) return content.error();
  if (auto mountable = check_mountable(locked, *content); !mountable) return mountable;
  records_.end(plain_id, locked.volume.id);
  return {};
}

Result<void> VolumeBackendLinux::check_blank(const Volume& volume) const {
  if (overwrites_unknown_data_) return {};
  const Result<Source> source = open_source(volume, kFormatOperation);
  if (!source) return source.error();
  const auto data = block::first_data_at_ends(source->descriptor, source->range, volume.id);
  if (!data) return data.error();
  if (!*data) return {};
  // What an mkfs left that was cut short is no data.
  const auto begun = records_.is_begun(VolumeFinder::plain_id(volume), volume.id);
  if (!begun) return begun.error();
  if (*begun) return {};
  const uint64_t place = **data - source->range.offset;
  return refused(volume, "it holds something of no known kind, at byte " + std::to_string(place))
      .advise(
          "if that is not needed, write zeros over the volume's first and last MiB, or set "
          "overwrite_unknown_data = true of the module volume");
}

Result<void> VolumeBackendLinux::make_filesystem(const Locked& locked) {
  const Volume& volume = locked.volume;
  const std::string plain_id = VolumeFinder::plain_id(volume);
  const Result<std::string> uuid = maker_.new_uuid();
  if (!uuid) return uuid.error();
  if (auto made = run_mkfs(locked, *uuid); !made) return made;
  const Result<Content> content = content_of(volume, kFormatOperation);
  if (!content) return content.error();
  if (content->kind != ContentKind::kFilesystem) {
    return Error(StatusCode::kInternal, kFormatOperation, volume.id)
        .because("mkfs succeeded, and there is no filesystem");
  }
  if (auto mountable = check_mountable(locked, *content); !mountable) {
    // A node with another kernel or mkfs finds it as it was.
    if (auto blank = make_blank(locked); !blank) return blank;
    records_.remove(plain_id, *uuid);
    records_.end(plain_id, volume.id);
    return mountable;
  }
  // What chose its uuid itself is only known now.
  auto recorded = uuid->empty() ? records_.add(plain_id, content->uuid) : Result<void>();
  if (recorded) records_.end(plain_id, volume.id);
  return recorded;
}

Result<FileDescriptor> VolumeBackendLinux::open_to_write(const Locked& locked, int flags) {
  return block::open_node(locked.node, locked.device, locked.volume.disk.number, O_RDWR | flags,
                          kFormatOperation);
}

// Nobody has it open for writing afterwards: there are kernels that mount nothing that is.
Result<void> VolumeBackendLinux::run_mkfs(const Locked& locked, const std::string& uuid) {
  const Volume& volume = locked.volume;
  const std::string plain_id = VolumeFinder::plain_id(volume);
  // Nobody may use it; mkfs itself has to open it, so this is looked at and not held.
  if (const auto exclusive = open_to_write(locked, O_EXCL); !exclusive) return exclusive.error();
  const Result<FileDescriptor> device = open_to_write(locked, 0);
  if (!device) return device.error();
  if (auto recorded = records_.begin(plain_id, volume.id, uuid); !recorded) return recorded;
  if (auto wiped = block::wipe_signatures(*device, volume.id); !wiped) return wiped;
  if (auto made = maker_.run(*device, locked.lock.descriptor(), uuid, volume.id); !made) {
    // What it left behind is nobody's, whatever it looks like.
    static_cast<void>(block::wipe_signatures(*device, volume.id));
    records_.remove(plain_id, uuid);
    return made;
  }
  if (const std::error_code error = error_unless(::fsync(device->get()) == 0)) {
    return Error(StatusCode::kUnknown, kFormatOperation, volume.id).because(error);
  }
  return {};
}

Result<void> VolumeBackendLinux::make_blank(const Locked& locked) {
  const std::string& id = locked.volume.id;
  const Result<FileDescriptor> device = open_to_write(locked, 0);
  if (!device) return device.error();
  if (auto wiped = block::wipe_signatures(*device, id); !wiped) return wiped;
  return block::zero_ends(*device, {0, locked.volume.range().size}, id);
}

// Nowhere and for reading: an mkfs that is newer than the kernel makes what it does not mount, and
// a volume that is formatted cannot be formatted again.
Result<void> VolumeBackendLinux::check_mountable(const Locked& locked, const Content& content) {
  const auto mount = mount_detached(
      {.type = kernel_name(content.type), .node = locked.node, .read_only = true, .is_new = true});
  if (mount) return {};
  return refused(locked.volume, "the kernel does not mount what mkfs." + content.type +
                                    " has made: " + mount.error().message())
      .advise(
          "mkfs may be newer than the kernel: install one that is not, or let its configuration "
          "(/etc/mke2fs.conf) choose older features");
}

// A filesystem is whole once it is recognised: mkfs.ext4 writes its superblock last, mkfs.btrfs the
// superblock's magic, and mkfs.ntfs the table of files, of which but a copy follows; xfs has a mark
// that keeps it from being mounted until mkfs has ended.
Result<bool> VolumeBackendLinux::is_formatted(const Volume& volume, const Content& content) const {
  if (content.kind == ContentKind::kNothing) return false;
  if (content.kind != ContentKind::kFilesystem || content.type != "xfs") return true;
  const Result<std::string> start = read_start(volume);
  if (!start) return start.error();
  return !is_unfinished_xfs(*start);
}

}  // namespace longshore::volume
