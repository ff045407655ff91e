#include "volume/linux/mounted_device.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "volume/linux/filesystem_growth.h"
#include "volume/linux/mount_place.h"

namespace longshore::volume {

using support::Mount;

namespace {

dev_t device_behind(const std::string& node) {
  struct stat status {};
  return ::stat(node.c_str(), &status) == 0 && S_ISBLK(status.st_mode) ? status.st_rdev : 0;
}

}  // namespace

std::string kernel_name(const std::string& type) { return type == "ntfs" ? "ntfs3" : type; }

dev_t block_device_of(const Mount& mount) {
  const bool is_btrfs = major(mount.device) == 0 && mount.type == "btrfs";
  return is_btrfs ? device_behind(mount.source) : mount.device;
}

std::string kernel_id(const Mount& mount) {
  const std::string uuid = mounted_uuid(mount.type, open_root_of(mount));
  return uuid.empty() ? "" : "UUID=" + uuid;
}

bool is_another(const Mount& mount, const std::string& id) {
  const std::string known = kernel_id(mount);
  return !known.empty() && known != id;
}

}  // namespace longshore::volume
