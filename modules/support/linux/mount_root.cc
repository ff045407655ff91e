#include "support/linux/mount_root.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::support {
namespace {

// What statx calls stx_mnt_id.
std::optional<uint64_t> mount_id_of(int opened) {
  std::ifstream lines("/proc/self/fdinfo/" + std::to_string(opened));
  for (std::string word; lines >> word;) {
    uint64_t id = 0;
    if (word == "mnt_id:" && lines >> id) return id;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Mount> mount_rooted_at(int directory, const std::string& name) {
  FileDescriptor entry;
  if (!name.empty()) {
    entry = FileDescriptor(::openat(directory, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!entry) return std::nullopt;
  }
  const int opened = name.empty() ? directory : entry.get();
  const auto id = mount_id_of(opened);
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(opened);
  const ssize_t size = ::readlink(link.c_str(), path, sizeof(path));
  Result<std::vector<Mount>> mounts = read_mounts();
  if (!id || size < 0 || !mounts) return std::nullopt;
  const auto found = std::ranges::find(*mounts, *id, &Mount::id);
  const std::string_view point(path, static_cast<size_t>(size));
  if (found == mounts->end() || found->point != point) return std::nullopt;
  return std::move(*found);
}

}  // namespace longshore::support
