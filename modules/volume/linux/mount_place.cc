#include "volume/linux/mount_place.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "support/linux/mount_root.h"

namespace longshore::volume {
using support::Mount;
using support::PosixPath;

Result<Place> place_of(int directory, const std::string& name, const PosixPath& path,
                       std::string_view operation) {
  struct statx status {};
  const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name.empty() ? AT_EMPTY_PATH : 0);
  if (const std::error_code error = error_unless(
          ::statx(directory, name.c_str(), flags, STATX_TYPE | STATX_MNT_ID, &status) == 0)) {
    const auto mount = error == std::errc::io_error ? support::mount_rooted_at(directory, name)
                                                    : std::optional<Mount>();
    if (mount) {
      return Place{.mount_id = mount->id,
                   .device = mount->device,
                   .is_mount_root = true,
                   .is_directory = mount->root == "/",
                   .is_shut_down = true};
    }
    return Error(StatusCode::kUnknown, std::string(operation), path.text()).because(error);
  }
  return Place{status.stx_mnt_id, makedev(status.stx_dev_major, status.stx_dev_minor),
               (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0, S_ISLNK(status.stx_mode),
               S_ISDIR(status.stx_mode)};
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

std::string path_of(const FileDescriptor& opened) {
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(opened.get());
  const ssize_t size = ::readlink(link.c_str(), path, sizeof(path));
  return size < 0 ? "" : std::string(path, static_cast<size_t>(size));
}

FileDescriptor open_root_of(const Mount& mount) {
  FileDescriptor opened(::open(mount.point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return opened;
  // What is not to be had is told as of a call that should have opened it: -1, and errno.
  struct statx status {};
  if (::statx(opened.get(), "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0) {
    return FileDescriptor(-1);
  }
  if (status.stx_mnt_id == mount.id) return opened;
  errno = ESTALE;
  return FileDescriptor(-1);
}

}  // namespace longshore::volume
