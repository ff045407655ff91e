#include "support/linux/mounts_below.h"

#include <limits.h>

#include "support/linux/mount_table.h"

namespace longshore::support {

Result<std::optional<std::string>> find_mount_below(const FileDescriptor& directory) {
  const std::string link = "/proc/self/fd/" + std::to_string(directory.get());
  char path[PATH_MAX];
  const ssize_t size = ::readlink(link.c_str(), path, sizeof(path));
  if (const std::error_code error = error_unless(size >= 0)) {
    return Error(StatusCode::kUnknown, "read the link", link).because(error);
  }
  std::string above(path, static_cast<size_t>(size));
  if (above != "/") above += '/';

  const Result<std::vector<Mount>> mounts = read_mounts();
  if (!mounts) return mounts.error();
  for (const Mount& mount : *mounts) {
    if (mount.point.size() > above.size() && mount.point.starts_with(above)) {
      return std::optional(mount.point);
    }
  }
  return std::optional<std::string>();
}

}  // namespace longshore::support
