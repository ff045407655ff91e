// MountVolume and UnmountVolume on Linux.
#include <fcntl.h>
#include <sys/mount.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "support/linux/block/device_content.h"
#include "support/linux/block/disk_use.h"
#include "support/linux/directory_reader.h"
#include "support/linux/mount_root.h"
#include "support/linux/mounts_below.h"
#include "volume/linux/detached_mount.h"
#include "volume/linux/mount_place.h"
#include "volume/linux/mount_unit.h"
#include "volume/linux/mount_users.h"
#include "volume/linux/mounted_device.h"
#include "volume/linux/volume_backend_linux.h"
#include "volume/linux/volume_content.h"

namespace longshore::volume {

using block::Content;
using block::ContentKind;
using support::Mount;
using support::PosixPath;

namespace {

constexpr const char* kMount = "mount";       // a volume
constexpr const char* kMountOn = "mount on";  // a target
constexpr const char* kUnmount = "unmount";

Result<void> check_empty(const FileDescriptor& directory, const PosixPath& target) {
  const auto failure = [&](std::error_code error) {
    return Error(StatusCode::kUnknown, kMountOn, target.text())
        .because(error)
        .advise("the target has to be an empty directory");
  };
  FileDescriptor readable(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!readable) return failure(readable.error());
  support::DirectoryReader reader(std::move(readable));
  if (reader.next()) return failure(std::make_error_code(std::errc::directory_not_empty));
  if (reader.error()) return failure(reader.error());
  return {};
}

// A program that is being started (mkfs for another volume) shares what this process has open for a
// moment, which may be a directory of the mount: what is in use is tried for a second.
std::error_code unmount_patiently(const std::string& path,
                                  const std::function<bool()>& is_still_it) {
  const auto last = Deadline::Clock::now() + std::chrono::seconds(1);
  for (auto pause = std::chrono::milliseconds(1);;
       pause = std::min(pause * 2, std::chrono::milliseconds(50))) {
    const std::error_code error = error_unless(::umount2(path.c_str(), UMOUNT_NOFOLLOW) == 0);
    if (!error) return {};
    if (error != std::errc::device_or_resource_busy || Deadline::Clock::now() >= last) {
      return error;
    }
    std::this_thread::sleep_for(pause);
    if (!is_still_it()) return error;
  }
}

Error refused(const PosixPath& target, const std::string& why) {
  return Error(StatusCode::kFailedPrecondition, kMountOn, target.text()).because(why);
}

// For an allowed root itself the name is its whole path.
FileDescriptor open_entry(const support::DirectoryEntry& entry, int flags) {
  if (!entry.name.starts_with('/')) {
    return support::open_unfollowed(entry.directory, entry.name, flags);
  }
  return FileDescriptor(::open(entry.name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
}

std::error_code write_unwritten(const support::DirectoryEntry& entry) {
  const FileDescriptor root = open_entry(entry, O_RDONLY | O_DIRECTORY);
  return root ? error_unless(::syncfs(root.get()) == 0) : root.error();
}

std::string described(const Mount& mount) {
  return mount.type + " (\"" + mount.source + "\") is mounted there";
}

Error unmount_failure(const support::DirectoryEntry& entry, const PosixPath& target,
                      const Mount& mount, const Place& place, std::error_code error) {
  Error failure = Error(StatusCode::kUnknown, kUnmount, target.text()).because(error);
  if (failure.system() != std::errc::device_or_resource_busy) return failure;
  const auto below = support::find_mount_below(open_entry(entry, O_PATH | O_DIRECTORY));
  if (below && *below) return std::move(failure).advise("unmount " + **below + " first");
  return std::move(failure).advise(user_of_busy(mount, place));
}

}  // namespace

Result<void> VolumeBackendLinux::mount(const std::string& id, const PosixPath& target,
                                       const Deadline& deadline,
                                       const support::WarningLog& warnings) {
  const auto looked_at = open_target(id, target, deadline);
  if (!looked_at) return looked_at.error();
  if (!*looked_at) return {};
  const Result<Locked> locked = lock(id, deadline, kMount);
  if (!locked) return locked.error();
  // Again, now that no other agent can mount it: the kernel would put one mount over the other.
  const auto directory = open_target(id, target, deadline);
  if (!directory) return directory.error();
  if (!*directory) return {};
  const Result<uint64_t> mount_id = mount_on(**directory, *locked, target, warnings);
  if (!mount_id) return mount_id.error();
  return outlast_mount_unit(
      path_of(**directory), unit_directories_, [&] { return is_at(target, *mount_id); }, deadline);
}

Result<std::optional<FileDescriptor>> VolumeBackendLinux::open_target(
    const std::string& id, const PosixPath& target, const Deadline& deadline) const {
  constexpr const char* kAdvice = "the target has to be an existing directory, and no link";
  const Result<support::DirectoryEntry> entry = opener_.entry(target, kMountOn, deadline);
  if (!entry) return opener_.explained(entry.error(), target, deadline);
  FileDescriptor directory = open_entry(*entry, O_PATH | O_DIRECTORY);
  if (!directory) {
    Error failure = opener_.failure(target, kMountOn, directory.error()).advise(kAdvice);
    auto dangling = opener_.dangling_link(target, deadline);
    return dangling ? std::move(failure).because(*std::move(dangling)) : failure;
  }
  const Result<bool> mounted = is_mounted_at(id, directory, target);
  if (!mounted) return mounted.error();
  if (*mounted) return std::optional<FileDescriptor>();
  if (Result<void> empty = check_empty(directory, target); !empty) return std::move(empty).error();
  return std::optional(std::move(directory));
}

Result<bool> VolumeBackendLinux::is_mounted_at(const std::string& id,
                                               const FileDescriptor& directory,
                                               const PosixPath& target) const {
  const Result<Place> place = place_of(directory.get(), "", target, kMountOn);
  if (!place) return place.error();
  if (!place->is_mount_root) {
    const Result<Volume> volume = finder_.resolve(id, kMount);
    if (!volume) return volume.error();
    return false;
  }
  const Result<Mount> mount = mount_at(*place, target, kMountOn);
  if (!mount) return mount.error();
  const auto owner = finder_.volume_of(*mount);
  if (!owner) return owner.error();
  if (place->is_shut_down) {
    return refused(target, described(*mount) + ", and has shut down: its disk failed or is gone")
        .advise("unmount it first");
  }
  const bool is_it = *owner && !(*owner)->is_lost && (*owner)->is_named(id);
  if (is_it && mount->root == "/") return true;
  return refused(target, described(*mount));
}

Result<uint64_t> VolumeBackendLinux::mount_on(const FileDescriptor& directory, const Locked& locked,
                                              const PosixPath& target,
                                              const support::WarningLog& warnings) {
  const Volume& volume = locked.volume;
  const Result<Content> content = content_of(volume, kMount);
  if (!content) return content.error();
  const Result<bool> formatted = is_formatted(volume, *content);
  if (!formatted) return formatted.error();
  if (content->kind != ContentKind::kFilesystem || !*formatted) {
    return lacks_filesystem(*content, kMountOn, target.text(), volume.id);
  }
  if (auto allowed = allowed_filesystems_.check(content->type, kMount, volume.id); !allowed) {
    return std::move(allowed).error();
  }
  if (!mounts_read_only_disks_) {
    if (auto writable = check_writable(locked, kMount); !writable) {
      Error refusal = std::move(writable).error();
      const std::string advice = refusal.advice();
      return std::move(refusal).advise(
          advice +
          ", and with mount_read_only_disks = true of the module volume it is mounted for reading");
    }
  }
  const Result<DetachedMount> mount = mount_detached({.type = kernel_name(content->type),
                                                      .node = locked.node,
                                                      .other_nodes = volume.other_nodes,
                                                      .read_only = locked.read_only,
                                                      .may_skip_journal = skips_journal_replay_});
  if (!mount) return mount.error();
  // The node may have become another disk's since it was looked at. btrfs has numbers of its own.
  const Result<Place> place = place_of(mount->descriptor.get(), "", target, kMountOn);
  if (!place) return place.error();
  if (place->device != locked.device && content->type != "btrfs") {
    return refused(target, locked.node + " is not the volume " + volume.id + " any more");
  }
  // The lock is of one disk. The others are in use since they are mounted, and so cannot be taken
  // offline any more; they may have been before.
  if (!volume.other_nodes.empty()) {
    if (const auto served = finder_.resolve(volume.id, kMount); !served) return served.error();
  }
  // From now on somebody may write to it: to format it again is a mistake that is to be told.
  records_.remove(VolumeFinder::plain_id(volume), content->uuid);
  records_.end(VolumeFinder::plain_id(volume), volume.id);
  finder_.remember_mounted(volume);
  const FileDescriptor& descriptor = mount->descriptor;
  if (auto attached = attach(descriptor, directory, target.text()); !attached) {
    return std::move(attached).error();
  }
  if (auto checked = check_attached(descriptor, place->mount_id, target); !checked) {
    return std::move(checked).error();
  }
  if (mount->lacks_journal) {
    warnings.write("the volume " + volume.id + " was not unmounted properly and its disk is " +
                   "read-only: it is mounted on \"" + target.text() +
                   "\" without what its journal holds, so that what was written last may be " +
                   "missing or damaged (skip_journal_replay)");
  }
  return place->mount_id;
}

bool VolumeBackendLinux::is_at(const PosixPath& target, uint64_t mount_id) const {
  const Result<support::DirectoryEntry> entry = opener_.entry(target, kMountOn);
  if (!entry) return false;
  const auto place = place_of(entry->directory.get(), entry->name, target, kMountOn);
  return place && place->mount_id == mount_id;
}

// The directory may have been renamed meanwhile, to outside of the allowed roots.
Result<void> VolumeBackendLinux::check_attached(const FileDescriptor& mount, uint64_t mount_id,
                                                const PosixPath& target) const {
  if (is_at(target, mount_id)) return {};
  const std::string attached = "/proc/self/fd/" + std::to_string(mount.get());
  ::umount2(attached.c_str(), MNT_DETACH);
  return Error(StatusCode::kAborted, kMountOn, target.text())
      .because("the directory was moved, or something was mounted over it, since the call began");
}

Result<void> VolumeBackendLinux::unmount(const std::string& id, const PosixPath& target,
                                         const Deadline& deadline,
                                         const support::WarningLog& warnings) {
  Result<support::DirectoryEntry> entry = opener_.entry(target, kUnmount, deadline);
  if (!entry) {
    if (entry.error().code() == StatusCode::kNotFound) return {};
    return entry.error();
  }
  const Result<Place> place = place_of(entry->directory.get(), entry->name, target, kUnmount);
  if (!place && place.error().code() == StatusCode::kNotFound) return {};
  if (!place) return place.error();
  if (place->is_link) {
    return Error(StatusCode::kFailedPrecondition, kUnmount, target.text())
        .because(opener_.dangling_link(target, deadline).value_or("it is a link"))
        .advise("name the directory that the volume was mounted on");
  }
  if (!place->is_mount_root) return {};
  const Result<Mount> mount = mount_at(*place, target, kUnmount);
  if (!mount) return mount.error();
  const Result<bool> is_lost = is_lost_mount_of(*mount, id);
  if (!is_lost) return is_lost.error();

  // Best effort: a disk that is gone cannot be written to, and must be let go all the same.
  const std::error_code unwritten = write_unwritten(*entry);
  std::string path = entry->name;
  if (path.starts_with('/')) {
    entry->directory = {};  // an allowed root, opened: what is mounted there itself
  } else {
    path = "/proc/self/fd/" + std::to_string(entry->directory.get()) + "/" + path;
  }
  const auto is_still_it = [&] {
    const auto now = place_of(entry->directory.get(), entry->name, target, kUnmount);
    return now && now->mount_id == place->mount_id;
  };
  // To write may have taken a while, in which something else may have been mounted or moved there.
  if (!is_still_it()) {
    return Error(StatusCode::kAborted, kUnmount, target.text())
        .because("something else is mounted there since the call began")
        .advise("look what it is, and call again");
  }
  if (const std::error_code error = unmount_patiently(path, is_still_it)) {
    return unmount_failure(*entry, target, *mount, *place, error);
  }
  if (*is_lost) {
    warnings.write("the disk of what was mounted on \"" + target.text() + "\", " + mount->source +
                   ", is gone or cannot be read: what was not written to it is lost");
  } else if (unwritten) {
    warnings.write("what was mounted on \"" + target.text() + "\", " + mount->source +
                   ", could not be written (" + unwritten.message() +
                   "): what was not written to it before is lost");
  }
  // To the caller it is unmounted, and his disk is detached next.
  if (const auto use = use_after_unmount(*mount, *place, devices_.sysfs())) {
    warnings.write(*use + "; it was unmounted from \"" + target.text() +
                   "\", and what is written to it is lost once its disk is detached");
  }
  return {};
}

Result<bool> VolumeBackendLinux::is_lost_mount_of(const Mount& mount, const std::string& id) const {
  if (mount.root != "/") {
    return Error(StatusCode::kFailedPrecondition, kUnmount, mount.point)
        .because("only a part of a filesystem is mounted there, " + mount.root +
                 ", which is no volume's mount");
  }
  auto owner = finder_.volume_of(mount);
  if (!owner) return owner.error();
  const bool is_lost = *owner && (*owner)->is_lost;
  // Not for the id that was told of the mount: the kernel's answer may wait for a disk that hangs.
  if (is_lost && id != (*owner)->id) (*owner)->id_and_disk = finder_.lost_volume_of(mount);
  if (*owner && (*owner)->is_named(id)) return is_lost;
  std::string mounted = described(mount);
  if (*owner && !(*owner)->id_and_disk.empty()) {
    mounted += ", which is the volume " + (*owner)->id_and_disk;
  }
  Error failure = Error(StatusCode::kFailedPrecondition, kUnmount, mount.point)
                      .because(mounted + ", and not the volume " + id);
  if (!is_lost) return failure;
  return std::move(failure).advise("its disk is gone or does not tell of it any more: unmount " +
                                   (*owner)->id + ", as GetVolumeIDFromTargetPath answers");
}

Result<FileDescriptor> VolumeBackendLinux::open_mount(const Volume& volume,
                                                      const std::vector<Mount>& mounts) const {
  bool is_shut_down = false;
  for (const Mount& mount : mounts) {
    FileDescriptor root = open_root_of(mount);
    if (root) return root;
    if (root.error() != std::errc::io_error) continue;
    const auto seen = support::mount_rooted_at(AT_FDCWD, mount.point);
    is_shut_down |= seen && seen->id == mount.id;
  }
  if (is_shut_down) {
    return Error(StatusCode::kUnknown, "reach the files of", volume.id)
        .because(std::make_error_code(std::errc::io_error))
        .advise(
            "its filesystem has shut down, since its disk failed or is gone, and what was not "
            "written to it is lost: unmount it");
  }
  return Error(StatusCode::kFailedPrecondition, "reach the files of", volume.id)
      .because("where it is mounted something else covers it, or it was just unmounted");
}

}  // namespace longshore::volume
