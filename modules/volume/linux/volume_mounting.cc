// MountVolume, UnmountVolume and what is mounted where, on Linux.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "support/linux/block/device_content.h"
#include "support/linux/block/disk_use.h"
#include "support/linux/directory_reader.h"
#include "support/linux/mounts_below.h"
#include "volume/linux/detached_mount.h"
#include "volume/linux/volume_backend_linux.h"

namespace longshore::volume {

using block::Content;
using block::ContentKind;
using support::Mount;
using support::PosixPath;

namespace {

constexpr const char* kMount = "mount";       // a volume
constexpr const char* kMountOn = "mount on";  // a target
constexpr const char* kUnmount = "unmount";

// Which mount a name or an opened file lies on, and whether it is that mount's root.
struct Place {
  uint64_t mount_id = 0;
  dev_t device = 0;
  bool is_mount_root = false;
  bool is_link = false;
};

Result<Place> place_of(int directory, const std::string& name, const PosixPath& path,
                       std::string_view operation) {
  struct statx status {};
  const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name.empty() ? AT_EMPTY_PATH : 0);
  if (::statx(directory, name.c_str(), flags, STATX_TYPE | STATX_MNT_ID, &status) != 0) {
    return Error(StatusCode::kUnknown, std::string(operation), path.text()).because(last_error());
  }
  return Place{status.stx_mnt_id, makedev(status.stx_dev_major, status.stx_dev_minor),
               (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0, S_ISLNK(status.stx_mode)};
}

Result<Mount> mount_at(const Place& place, const PosixPath& path, std::string_view operation) {
  Result<std::vector<Mount>> mounts = support::read_mounts();
  if (!mounts) return std::move(mounts).error();
  const auto found = std::ranges::find(*mounts, place.mount_id, &Mount::id);
  if (found != mounts->end()) return std::move(*found);
  return Error(StatusCode::kAborted, std::string(operation), path.text())
      .because("it has just been unmounted or hidden")
      .advise("try again");
}

Result<void> check_empty(const FileDescriptor& directory, const PosixPath& target) {
  FileDescriptor readable(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::error_code error = last_error();
  if (readable) {
    support::DirectoryReader reader(std::move(readable));
    const bool has_entry = reader.next(error).has_value();
    if (!has_entry && !error) return {};
    if (has_entry) error = std::make_error_code(std::errc::directory_not_empty);
  }
  return Error(StatusCode::kUnknown, kMountOn, target.text())
      .because(error)
      .advise("the target has to be an empty directory");
}

std::string kernel_name(const std::string& type) { return type == "ntfs" ? "ntfs3" : type; }

// A program that is being started (mkfs for another volume) shares what this process has open for a
// moment, which may be a directory of the mount: what is in use is tried for a second.
std::error_code unmount_patiently(const std::string& path,
                                  const std::function<bool()>& is_still_it) {
  const auto last = Deadline::Clock::now() + std::chrono::seconds(1);
  for (auto pause = std::chrono::milliseconds(1);;
       pause = std::min(pause * 2, std::chrono::milliseconds(50))) {
    if (::umount2(path.c_str(), UMOUNT_NOFOLLOW) == 0) return {};
    const std::error_code error = last_error();
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

std::string described(const Mount& mount) {
  return mount.type + " (\"" + mount.source + "\") is mounted there";
}

Error unmount_failure(const support::DirectoryEntry& entry, const PosixPath& target,
                      std::error_code error) {
  Error failure = Error(StatusCode::kUnknown, kUnmount, target.text()).because(error);
  if (failure.system() != std::errc::device_or_resource_busy) return failure;
  const auto below = support::find_mount_below(open_entry(entry, O_PATH | O_DIRECTORY));
  if (below && *below) return std::move(failure).advise("unmount " + **below + " first");
  return std::move(failure).advise("somebody has files open in it or works in it");
}

}  // namespace

Result<void> VolumeBackendLinux::mount(const std::string& id, const PosixPath& target,
                                       const Deadline& deadline) {
  const auto looked_at = open_target(id, target);
  if (!looked_at) return looked_at.error();
  if (!*looked_at) return {};
  const Result<Locked> locked = lock(id, deadline, kMount);
  if (!locked) return locked.error();
  // Again, now that no other agent can mount it: the kernel would put one mount over the other.
  const auto directory = open_target(id, target);
  if (!directory) return directory.error();
  if (!*directory) return {};
  return mount_on(**directory, *locked, target);
}

Result<std::optional<FileDescriptor>> VolumeBackendLinux::open_target(
    const std::string& id, const PosixPath& target) const {
  const Result<support::DirectoryEntry> entry = opener_.entry(target, kMountOn);
  if (!entry) return entry.error();
  FileDescriptor directory = open_entry(*entry, O_PATH | O_DIRECTORY);
  if (!directory) {
    return opener_.failure(target, kMountOn, last_error())
        .advise("the target has to be an existing directory, and no link");
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
  if (*owner && VolumeFinder::is_named(**owner, id) && mount->root == "/") return true;
  return refused(target, described(*mount));
}

Result<void> VolumeBackendLinux::mount_on(const FileDescriptor& directory, const Locked& locked,
                                          const PosixPath& target) {
  const Volume& volume = locked.volume;
  const Result<Content> content = content_of(volume, kMount);
  if (!content) return content.error();
  const Result<bool> formatted = is_formatted(volume, *content);
  if (!formatted) return formatted.error();
  if (content->kind != ContentKind::kFilesystem || !*formatted) {
    return refused(target, "the volume " + volume.id + " holds no filesystem")
        .advise("FormatVolume makes one");
  }
  const Result<FileDescriptor> mount = mount_detached({.type = kernel_name(content->type),
                                                       .node = locked.node,
                                                       .other_nodes = volume.other_nodes,
                                                       .read_only = volume.disk.read_only,
                                                       .allow_same_uuid = volume.is_copy});
  if (!mount) return mount.error();
  // The node may have become another disk's since it was looked at. btrfs has numbers of its own.
  const Result<Place> place = place_of(mount->get(), "", target, kMountOn);
  if (!place) return place.error();
  if (place->device != locked.device && content->type != "btrfs") {
    return refused(target, locked.node + " is not the volume " + volume.id + " any more");
  }
  // From now on somebody may write to it: to format it again is a mistake that is to be told.
  records_.remove(VolumeFinder::plain_id(volume), content->uuid);
  return attach(*mount, directory, target.text());
}

Result<void> VolumeBackendLinux::unmount(const std::string& id, const PosixPath& target,
                                         const Deadline&) {
  Result<support::DirectoryEntry> entry = opener_.entry(target, kUnmount);
  if (!entry) {
    if (entry.error().code() == StatusCode::kNotFound) return {};
    return entry.error();
  }
  const Result<Place> place = place_of(entry->directory.get(), entry->name, target, kUnmount);
  if (!place && place.error().code() == StatusCode::kNotFound) return {};
  if (!place) return place.error();
  if (place->is_link) {
    return Error(StatusCode::kFailedPrecondition, kUnmount, target.text())
        .because("it is a link")
        .advise("name the directory that the volume was mounted on");
  }
  if (!place->is_mount_root) return {};
  const Result<Mount> mount = mount_at(*place, target, kUnmount);
  if (!mount) return mount.error();
  if (Result<void> its_own = check_mount_of(*mount, id); !its_own) return its_own;

  // Best effort: a disk that is gone cannot be written to, and must be let go all the same.
  if (const FileDescriptor root = open_entry(*entry, O_RDONLY | O_DIRECTORY)) {
    ::syncfs(root.get());
  }
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
  const std::error_code error = unmount_patiently(path, is_still_it);
  if (!error) return {};
  return unmount_failure(*entry, target, error);
}

// Of a disk that is gone, does not answer any more or has lost its table nobody can say what the
// volume was: then it is enough that the mount is of such a disk.
Result<void> VolumeBackendLinux::check_mount_of(const Mount& mount, const std::string& id) const {
  const auto owner = finder_.volume_of(mount);
  if (!owner) return owner.error();
  const bool is_its_own =
      *owner ? VolumeFinder::is_named(**owner, id) : finder_.is_mount_of_lost_disk(mount);
  if (is_its_own) return {};
  return Error(StatusCode::kFailedPrecondition, kUnmount, mount.point)
      .because(described(mount) + ", and not the volume " + id);
}

Result<FileDescriptor> VolumeBackendLinux::open_mount(const Volume& volume,
                                                      const std::vector<Mount>& mounts) const {
  for (const Mount& mount : mounts) {
    FileDescriptor opened(::open(mount.point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct statx status {};
    // What is mounted over it would be opened instead.
    if (opened && ::statx(opened.get(), "", AT_EMPTY_PATH, STATX_MNT_ID, &status) == 0 &&
        status.stx_mnt_id == mount.id) {
      return opened;
    }
  }
  return Error(StatusCode::kFailedPrecondition, "reach the files of", volume.id)
      .because("where it is mounted something else covers it, or it was just unmounted");
}

Result<std::string> VolumeBackendLinux::id_of_mount_point(const PosixPath& path) {
  return id_at(path, "tell which volume is mounted on", /*at_its_root=*/true);
}

Result<std::string> VolumeBackendLinux::closest_id(const PosixPath& path) {
  return id_at(path, "tell the volume of", /*at_its_root=*/false);
}

Result<std::string> VolumeBackendLinux::id_at(const PosixPath& path, std::string_view operation,
                                              bool at_its_root) const {
  const Result<FileDescriptor> opened = opener_.open(path, operation);
  if (!opened) return opened.error();
  const Result<Place> place = place_of(opened->get(), "", path, operation);
  if (!place) return place.error();
  const auto refuse = [&](const std::string& why) {
    return Error(StatusCode::kFailedPrecondition, std::string(operation), path.text()).because(why);
  };
  if (at_its_root && !place->is_mount_root) return refuse("it is not a mounted folder");
  const Result<Mount> mount = mount_at(*place, path, operation);
  if (!mount) return mount.error();
  Result<std::optional<Volume>> volume = finder_.volume_of(*mount);
  if (!volume) return std::move(volume).error();
  if (!*volume) {
    return refuse("it lies on " + mount->source + " (" + mount->type + "), which is no volume")
        .advise("only disks that the option disk_names includes have volumes");
  }
  return (*volume)->id;
}

}  // namespace longshore::volume
