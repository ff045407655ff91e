// Mounting on Windows: a directory becomes a mount point, by its own handle, and which volume a
// path lies on.
//
// Names are never resolved twice: what was looked at is what is changed, wherever others move it
// meanwhile.
#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/disk_answers.h"
#include "support/windows/file_error.h"
#include "support/windows/guid_text.h"
#include "support/windows/rooted_walk.h"
#include "support/windows/system_error.h"
#include "volume/unmounted_path.h"
#include "volume/windows/volume_backend_windows.h"

namespace longshore::volume {

using support::FileAccess;
using support::is_same_volume;
using support::ReparseKind;
using support::ReparsePoint;
using support::RootedWalk;
using support::WindowsPath;
using LastName = support::FileSystemCalls::LastName;

namespace {

constexpr const char* kMount = "mount a volume on";
constexpr const char* kUnmount = "unmount";
constexpr const char* kClosest = "find the closest volume for path";

Error refused_path(const WindowsPath& path, std::string_view operation, std::string cause) {
  return Error(StatusCode::kFailedPrecondition, std::string(operation), path.text())
      .because(std::move(cause));
}

Error is_a_link(const support::RootedOpener& opener, const WindowsPath& path,
                std::string_view operation) {
  return refused_path(path, operation, opener.dangling_link(path).value_or("it is a link"))
      .advise("name the directory itself");
}

Error on_no_volume(const WindowsPath& path, std::string_view operation, const std::string& name) {
  return refused_path(path, operation, "it lies on " + name + ", which is no volume of a disk");
}

}  // namespace

Result<VolumeBackendWindows::Target> VolumeBackendWindows::look_at(
    const WindowsPath& path, std::string_view operation) const {
  auto opened = opener_.open_unfollowed(path, FileAccess::kRemove, operation);
  if (!opened) return opener_.explained(std::move(opened).error(), path);
  Target target{.opened = *std::move(opened)};
  std::error_code error;
  target.facts = target.opened->facts(error);
  if (error) return opener_.failure(path, operation, error);
  if (!target.facts.is_reparse_point) return target;
  const std::vector<std::byte> data = target.opened->read_reparse_data(error);
  if (error) return opener_.failure(path, operation, error);
  target.point = support::decode_reparse_point(data);
  if (target.point && target.point->kind == ReparseKind::kVolumeMountPoint) {
    target.mounted = narrow(target.point->target);
    return target;
  }
  // What is damaged may have been one. What stands for nothing in another place is what it is.
  target.is_link = !target.point || target.point->kind != ReparseKind::kOther ||
                   target.point->is_name_surrogate();
  return target;
}

Result<void> VolumeBackendWindows::check_empty(Target& target, const WindowsPath& path) const {
  if (target.is_link) return is_a_link(opener_, path, kMount);
  if (!target.facts.is_directory) return refused_path(path, kMount, "it is no directory");
  std::error_code error;
  const bool is_empty = target.opened->list(error).empty();
  if (error) return opener_.failure(path, kMount, error);
  if (is_empty) return {};
  return refused_path(path, kMount, "the directory is not empty");
}

Result<void> VolumeBackendWindows::attach(Target& target, const Volume& volume,
                                          const WindowsPath& path) const {
  const std::error_code error = target.opened->attach_volume(volume.name());
  // Somebody was faster, perhaps with the same.
  if (support::is_not_empty(error)) {
    const Result<Target> now = look_at(path, kMount);
    if (now && is_same_volume(now->mounted, volume.id)) return {};
  }
  if (error) return opener_.failure(path, kMount, error);
  const Result<Target> now = look_at(path, kMount);
  if (!now) return now.error();
  if (is_same_volume(now->mounted, volume.id)) return {};
  return Error(StatusCode::kInternal, kMount, path.text())
      .because("Windows took the volume for it and does not show it there");
}

Result<void> VolumeBackendWindows::mount(const std::string& id, const WindowsPath& target,
                                         const Deadline& deadline,
                                         const support::WarningLog& warnings) {
  const Result<Volume> volume = finder_.find(id, "mount");
  if (!volume) return volume.error();
  Result<Target> place = look_at(target, kMount);
  if (!place) return std::move(place).error();
  if (is_same_volume(place->mounted, volume->id)) return {};
  if (!place->mounted.empty()) {
    return refused_path(target, kMount, "the volume " + place->mounted + " is mounted there");
  }
  if (auto empty = check_empty(*place, target); !empty) return empty;
  const Result<Content> content = content_of(*volume, kMount);
  if (!content) return content.error();
  if (!content->is_mountable) {
    return refused_path(target, kMount, "the volume " + volume->id + " holds no filesystem")
        .advise("FormatVolume makes one");
  }
  if (!mounts_read_only_disks_) {
    auto writable = check_writable(*volume, kMount);
    if (!writable) {
      if (writable.error().code() != StatusCode::kFailedPrecondition) return writable;
      return std::move(writable).error().advise(
          "SetDiskState(online) clears that if it is Windows' own doing, and mount_read_only_disks "
          "= true of the module volume mounts it for reading");
    }
  }
  if (auto exceeded = deadline.exceeded(kMount, target.text())) return *std::move(exceeded);
  // From now on somebody may write to it: to format it again is a mistake that is to be told.
  records_.remove(volume->id);
  if (auto attached = attach(*place, *volume, target); !attached) return attached;
  if (is_dirty(*volume)) {
    warnings.write("the filesystem of the volume " + volume->id + ", mounted on \"" +
                   target.text() + "\", is marked dirty: Windows wants it checked, as chkdsk does");
  }
  return {};
}

// NTFS is so where it has found damage; what was only not unmounted it makes good by itself. What
// cannot tell is not.
bool VolumeBackendWindows::is_dirty(const Volume& volume) const {
  const auto device = open_device(volume, support::DeviceControl::Access::kRead, kMount);
  if (!device) return false;
  const auto answer = (*device)->control(FSCTL_IS_VOLUME_DIRTY, {}, sizeof(DWORD));
  return !answer.error && support::is_dirty(answer.bytes);
}

Result<bool> VolumeBackendWindows::is_lost_mount_of(const std::string& mounted,
                                                    const std::string& id,
                                                    const WindowsPath& path) const {
  const Result<bool> is_known = finder_.is_known(mounted, kUnmount);
  if (!is_known) return is_known.error();
  if (!*is_known) return true;
  if (is_same_volume(mounted, id)) return false;
  return refused_path(path, kUnmount,
                      "the volume " + mounted + " is mounted there, and not the volume " + id);
}

Result<void> VolumeBackendWindows::unmount(const std::string& id, const WindowsPath& target,
                                           const Deadline& deadline,
                                           const support::WarningLog& warnings) {
  if (auto exceeded = deadline.exceeded(kUnmount, target.text())) return *std::move(exceeded);
  const Result<Target> place = look_at(target, kUnmount);
  if (!place && support::is_missing(place.error().system())) return {};
  if (!place) return place.error();
  if (place->is_link) return is_a_link(opener_, target, kUnmount);
  if (place->mounted.empty()) return {};
  const Result<bool> is_lost = is_lost_mount_of(place->mounted, id, target);
  if (!is_lost) return is_lost.error();
  // A disk that is detached next must have all that was written to it.
  const std::error_code unwritten = place->opened->flush_volume(wide(place->mounted));
  const std::error_code error = place->opened->detach_volume(wide(place->mounted));
  if (error) return opener_.failure(target, kUnmount, error);
  if (*is_lost) {
    lost_.remove(place->mounted);
    warnings.write("the disk of what was mounted on \"" + target.text() + "\", " + place->mounted +
                   ", is gone: what was not written to it is lost");
  } else if (unwritten && !support::is_windows_error(unwritten, ERROR_WRITE_PROTECT)) {
    warnings.write("not all of the volume " + place->mounted + " could be written before it was " +
                   "unmounted from \"" + target.text() + "\": " + unwritten.message());
  }
  return {};
}

Result<std::string> VolumeBackendWindows::id_of_absent(const std::string& volume) {
  const Result<bool> is_known = finder_.is_known(volume, kTellVolume);
  if (!is_known) return is_known.error();
  if (!*is_known) {
    lost_.add(volume);
    return volume;
  }
  const Result<Volume> found = finder_.find_unserved(volume, kTellVolume);
  return found && !found->is_online ? found->id : std::string();
}

Result<std::string> VolumeBackendWindows::id_of_mount_point(const WindowsPath& path,
                                                            const Deadline& deadline) {
  RootedWalk walk(layers_.files, opener_.roots(), path, FileAccess::kLook, deadline);
  const std::error_code error = walk.run(LastName::kFollowed);
  const std::string volume = narrow(walk.volume());
  if (error && walk.failed_at_last_volume()) {
    Result<std::string> absent = id_of_absent(volume);
    if (!absent || !absent->empty()) return absent;
  }
  if (error && support::is_not_found(error) && !walk.missing().empty()) {
    return no_such_mount_point(path);
  }
  if (error) {
    return opener_.explained(
        opener_.failure_of_walk(path, kTellVolume, deadline, error, walk.failed_at_root()), path,
        deadline);
  }
  if (!walk.is_volume_root()) {
    std::error_code unknown;
    const bool is_directory = walk.take_here()->facts(unknown).is_directory;
    if (unknown) return opener_.failure(path, kTellVolume, unknown);
    if (is_directory) return not_a_mounted_folder(path);
    return refused_path(path, kTellVolume, "it is no directory, and so not a mounted folder");
  }
  const Result<Volume> found = finder_.find_unserved(volume, kTellVolume);
  if (found) return found->id;
  if (found.error().code() != StatusCode::kNotFound) return found.error();
  return on_no_volume(path, kTellVolume, volume);
}

Result<std::string> VolumeBackendWindows::closest_id(const WindowsPath& path,
                                                     const Deadline& deadline) {
  RootedWalk walk(layers_.files, opener_.roots(), path, FileAccess::kLook, deadline);
  if (const std::error_code error = walk.run(LastName::kFollowed)) {
    return opener_.explained(
        opener_.failure_of_walk(path, kClosest, deadline, error, walk.failed_at_root()), path,
        deadline);
  }
  std::wstring volume = walk.volume();
  if (volume.empty()) {
    const auto drive = layers_.volumes.volume_at(wide(walk.drive()));
    if (drive.error) return on_no_volume(path, kClosest, walk.drive());
    volume = drive.name;
  }
  const Result<Volume> found = finder_.find(narrow(volume), kClosest);
  if (found) return found->id;
  if (found.error().code() != StatusCode::kNotFound) return found.error();
  return on_no_volume(path, kClosest, narrow(volume));
}

}  // namespace longshore::volume
