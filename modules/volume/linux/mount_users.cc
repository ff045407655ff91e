#include "volume/linux/mount_users.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "support/linux/block/sysfs.h"
#include "support/linux/file_users.h"
#include "support/linux/mount_namespaces.h"
#include "support/posix_path.h"
#include "volume/linux/mounted_device.h"

namespace longshore::volume {

using support::Mount;
using support::UsedFile;

namespace {

// What sysfs calls the device: "sda1", "cciss!c0d0".
std::string device_name(const Mount& mount, const std::string& sysfs) {
  const dev_t device = block_device_of(mount);
  const std::string numbers = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  const std::string name = block::link_name(sysfs + "/dev/block/" + numbers);
  // A disk that was pulled out has no number any more.
  return name.empty() ? mount.source.substr(mount.source.rfind('/') + 1) : name;
}

std::string node_of(std::string name) {
  std::ranges::replace(name, '!', '/');
  return "/dev/" + name;
}

// Whether the kernel still has the filesystem of the device. Where it does not say so, whether
// anybody has the device for himself.
bool is_alive(const Mount& mount, const std::string& name, const std::string& sysfs) {
  std::error_code none;
  if (mount.type.starts_with("ext")) {
    return std::filesystem::exists(sysfs + "/fs/ext4/" + name, none);
  }
  if (mount.type == "xfs") return std::filesystem::exists(sysfs + "/fs/xfs/" + name, none);
  if (mount.type == "btrfs") {
    const std::string all = sysfs + "/fs/btrfs/";
    return std::ranges::any_of(block::names_in(all), [&](const std::string& filesystem) {
      return std::filesystem::exists(all + filesystem + "/devices/" + name, none);
    });
  }
  const FileDescriptor alone(
      ::open(node_of(name).c_str(), O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC));
  return alone.error() == std::errc::device_or_resource_busy;
}

bool is_mounted_here(dev_t device) {
  const auto mounts = support::read_mounts();
  return mounts && std::ranges::count(*mounts, device, &Mount::device) != 0;
}

}  // namespace

std::string user_of_busy(const Mount& mount, const Place& place) {
  // In another mount namespace the mount that goes along with this one has an id of its own.
  std::set<uint64_t> here;
  if (const auto mounts = support::read_mounts()) {
    for (const Mount& each : *mounts) here.insert(each.id);
  }
  const auto is_in_it = [&](const UsedFile& file) {
    if (file.mount_id == 0) {
      return file.device == mount.device && support::is_within(file.path, mount.point);
    }
    if (file.mount_id == mount.id) return true;
    return file.device == place.device && !here.contains(file.mount_id);
  };
  return support::find_file_user(is_in_it).text("somebody has files open in it or works in it");
}

std::optional<std::string> use_after_unmount(const Mount& mount, const Place& place,
                                             const std::string& sysfs) {
  const std::string name = device_name(mount, sysfs);
  if (!is_alive(mount, name, sysfs) || is_mounted_here(mount.device)) return std::nullopt;
  const std::string alive = mount.type + " of " + node_of(name) + " is still in use: ";
  const auto elsewhere = support::find_mount_elsewhere(
      [&](const Mount& other) { return other.device == mount.device; });
  if (elsewhere) return alive + "by " + elsewhere->text();
  const auto users = support::find_file_user([&](const UsedFile& file) {
    return file.device == mount.device || file.device == place.device;
  });
  return alive + users.text("no process is seen that uses it");
}

}  // namespace longshore::volume
