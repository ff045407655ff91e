#include "support/linux/mount_keys.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <set>

#include "support/ascii.h"

namespace longshore::support {
namespace {

// "host:/export", "[2001:db8::1]:/export".
std::string_view host_of_nfs(std::string_view source) {
  const size_t colon = source.find(":/");
  if (colon == std::string_view::npos) return {};
  std::string_view host = source.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  return host;
}

// "//host/share", or with backslashes.
std::string_view host_of_smb(std::string_view source) {
  const size_t begin = std::min(source.find_first_not_of("/\\"), source.size());
  return begin == 2 ? source.substr(2, source.find_first_of("/\\", 2) - 2) : std::string_view();
}

// "": the mount names none.
std::string server_of(const Mount& mount) {
  if (mount.type == "nfs" || mount.type == "nfs4") return lower_case(host_of_nfs(mount.source));
  if (mount.type == "cifs" || mount.type == "smb3") return lower_case(host_of_smb(mount.source));
  return {};
}

bool is_fuse(const Mount& mount) {
  return mount.type == "fuse" || mount.type == "fuseblk" || mount.type.starts_with("fuse.");
}

// By the device's number: binds of one filesystem share it, and one that is mounted anew has
// another, so that calls that hang on the old one do not count against it.
std::string name_of_filesystem(const Mount& mount) {
  return mount.type + " " + std::to_string(major(mount.device)) + ":" +
         std::to_string(minor(mount.device));
}

}  // namespace

MountKeys::MountKeys(const std::vector<Mount>& mounts, const AllowedRoots& roots)
    : points_(mounts) {
  std::set<dev_t> of_roots;
  for (const PosixPath& root : roots.roots()) {
    if (const auto place = points_.mount_of(root)) of_roots.insert(mounts[*place].device);
  }
  for (const Mount& mount : mounts) {
    std::string key = server_of(mount);
    const bool has_none =
        mount.type == "autofs" || (of_roots.contains(mount.device) && !is_fuse(mount));
    if (key.empty() && !has_none) key = name_of_filesystem(mount);
    keys_.push_back(std::move(key));
  }
}

std::string_view MountKeys::key_of(const PosixPath& path) const {
  const auto place = points_.mount_of(path);
  return place ? std::string_view(keys_[*place]) : std::string_view();
}

}  // namespace longshore::support
