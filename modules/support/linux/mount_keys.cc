#include "support/linux/mount_keys.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/ascii.h"
#include "support/linux/block/device_stack.h"

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

bool is_in_memory(const Mount& mount) {
  return mount.type == "tmpfs" || mount.type == "ramfs" || mount.type == "devtmpfs";
}

bool is_within_a_root(std::string_view path, const AllowedRoots& roots) {
  return std::ranges::any_of(roots.roots(),
                             [&](const PosixPath& root) { return is_within(path, root.text()); });
}

// "/a" and "/" of "/a/b".
template <typename Function>
void for_each_above(std::string_view path, const Function& function) {
  while (path.size() > 1) {
    path = path.substr(0, std::max<size_t>(path.rfind('/'), 1));
    function(path);
  }
}

// btrfs has a device number of its own; its source is a disk's node, and to look at what lies in
// /dev opens no disk.
dev_t block_device_of(const Mount& mount) {
  struct stat status {};
  const bool has_node = mount.type == "btrfs" && mount.source.starts_with("/dev/") &&
                        ::stat(mount.source.c_str(), &status) == 0 && S_ISBLK(status.st_mode);
  return has_node ? status.st_rdev : mount.device;
}

// Asks sysfs for each device once, as many mounts may be of one.
class Disks {
 public:
  explicit Disks(const std::string& sysfs_root) : sysfs_root_(sysfs_root) {}

  // "": it lies on none.
  std::string key_of(const Mount& mount) {
    const dev_t device = block_device_of(mount);
    if (major(device) == 0) return {};
    const auto [key, is_new] = keys_.try_emplace(device);
    if (is_new) key->second = block::bulkhead_of(device, sysfs_root_);
    return key->second;
  }

 private:
  const std::string& sysfs_root_;
  std::map<dev_t, std::string> keys_;
};

// By the device's number: binds of one filesystem share it, and one that is mounted anew has
// another, so that calls that hang on the old one do not count against it.
std::string name_of_filesystem(const Mount& mount) {
  return mount.type + " " + std::to_string(major(mount.device)) + ":" +
         std::to_string(minor(mount.device));
}

}  // namespace

MountKeys::MountKeys(const std::vector<Mount>& mounts, const AllowedRoots& roots,
                     const std::string& sysfs_root)
    : points_(mounts) {
  std::set<dev_t> of_roots;
  std::set<dev_t> above_roots;
  for (const PosixPath& root : roots.roots()) {
    if (const auto place = points_.mount_of(root)) of_roots.insert(mounts[*place].device);
    for_each_above(root.text(), [&](std::string_view above) {
      if (const auto place = points_.mount_of(above)) above_roots.insert(mounts[*place].device);
    });
  }
  Disks disks(sysfs_root);
  for (const Mount& mount : mounts) {
    std::string key = server_of(mount);
    const bool is_remote = !key.empty() || is_fuse(mount);
    const bool has_none = mount.type == "autofs" || (of_roots.contains(mount.device) && !is_remote);
    if (key.empty() && !has_none) key = disks.key_of(mount);
    if (key.empty() && !has_none) key = name_of_filesystem(mount);
    const bool is_on_the_way = above_roots.contains(mount.device) && !is_remote;
    may_be_silent_.push_back(mount.type == "autofs" ||
                             (!key.empty() && !is_in_memory(mount) && !is_on_the_way));
    keys_.push_back(std::move(key));
  }
  find_silent(mounts, roots);
}

void MountKeys::find_silent(const std::vector<Mount>& mounts, const AllowedRoots& roots) {
  for (size_t i = 0; i < mounts.size(); ++i) {
    may_look_at_.push_back(!may_be_silent_[i] && !is_below_silent(mounts[i].point));
    if (may_be_silent_[i] && is_within_a_root(mounts[i].point, roots)) has_silent_ = true;
  }
  for (const PosixPath& root : roots.roots()) {
    if (!may_look_at(root.text())) has_silent_ = true;
  }
}

bool MountKeys::is_below_silent(std::string_view point) const {
  bool is_below = false;
  for_each_above(point, [&](std::string_view above) {
    const auto place = points_.mount_of(above);
    if (place && may_be_silent_[*place]) is_below = true;
  });
  return is_below;
}

bool MountKeys::may_look_at(std::string_view path) const {
  const auto place = points_.mount_of(path);
  return !place || may_look_at_[*place];
}

std::string_view MountKeys::key_of(std::string_view path) const {
  const auto place = points_.mount_of(path);
  return place ? std::string_view(keys_[*place]) : std::string_view();
}

}  // namespace longshore::support
