// Which volume is mounted at a path, or lies beneath it, on Linux.
#include <algorithm>

#include "support/linux/mount_table.h"
#include "volume/linux/mount_place.h"
#include "volume/linux/volume_backend_linux.h"
#include "volume/unmounted_path.h"

namespace longshore::volume {

using support::Mount;
using support::PosixPath;

namespace {

// The source is whatever was given to mount, and must not read like words of ours; see
// unmounted_path.h. So it has no blanks, as in the kernel's own list.
Error on_no_volume(std::string_view operation, const PosixPath& path, const Mount& mount) {
  std::string source;
  for (const char c : mount.source) source += c == ' ' ? "\\040" : std::string(1, c);
  return Error(StatusCode::kFailedPrecondition, std::string(operation), path.text())
      .because("it lies on " + source + " (" + mount.type + "), which is no volume")
      .advise("only disks that the option disk_names includes have volumes");
}

std::string path_of_missing(const support::MissingPlace& missing) {
  std::string path = path_of(missing.directory);
  for (const std::string& name : missing.names) path.append("/").append(name);
  return path;
}

// What is mounted on a path stays in the list when something is mounted over a folder above it, and
// then keeps its disk though no path leads there.
Result<void> check_not_hidden(const PosixPath& path, const std::string& place) {
  const Result<std::vector<Mount>> mounts = support::read_mounts();
  if (!mounts) return mounts.error();
  const bool is_listed = std::ranges::any_of(*mounts, [&](const Mount& mount) {
    return mount.point == place || mount.point == path.text();
  });
  if (!is_listed) return {};
  return Error(StatusCode::kFailedPrecondition, kTellVolume, path.text())
      .because("what is mounted there is hidden by another mount")
      .advise("unmount what was mounted over a folder above it; findmnt shows both");
}

}  // namespace

Result<std::string> VolumeBackendLinux::id_of_mount_point(const PosixPath& path,
                                                          const Deadline& deadline) {
  const Result<FileDescriptor> opened = opener_.open(path, kTellVolume, deadline);
  if (!opened) {
    if (opened.error().code() != StatusCode::kNotFound) return opened.error();
    const auto missing = opener_.missing_place(path, kTellVolume, deadline);
    if (!missing) return missing.error();
    if (!*missing) return opener_.explained(opened.error(), path, deadline);
    auto bare = check_not_hidden(path, path_of_missing(**missing));
    return bare ? no_such_mount_point(path) : bare.error();
  }
  const Result<Place> place = place_of(opened->get(), "", path, kTellVolume);
  if (!place) return place.error();
  if (!place->is_mount_root && place->is_directory) {
    auto bare = check_not_hidden(path, path_of(*opened));
    return bare ? not_a_mounted_folder(path) : bare.error();
  }
  if (!place->is_mount_root) {
    return Error(StatusCode::kFailedPrecondition, kTellVolume, path.text())
        .because("it is no directory, and so not a mounted folder");
  }
  const Result<Mount> mount = mount_at(*place, path, kTellVolume);
  if (!mount) return mount.error();
  const auto volume = finder_.volume_of(*mount);
  if (!volume) return volume.error();
  if (*volume) return (*volume)->id;
  return on_no_volume(kTellVolume, path, *mount);
}

Result<std::string> VolumeBackendLinux::closest_id(const PosixPath& path,
                                                   const Deadline& deadline) {
  constexpr const char* kOperation = "tell the volume of";
  const Result<FileDescriptor> opened = opener_.open(path, kOperation, deadline);
  if (!opened) return opener_.explained(opened.error(), path, deadline);
  const Result<Place> place = place_of(opened->get(), "", path, kOperation);
  if (!place) return place.error();
  const Result<Mount> mount = mount_at(*place, path, kOperation);
  if (!mount) return mount.error();
  const auto volume = finder_.volume_of(*mount);
  if (!volume) return volume.error();
  if (*volume && !(*volume)->is_lost) return (*volume)->id;
  return on_no_volume(kOperation, path, *mount);
}

}  // namespace longshore::volume
