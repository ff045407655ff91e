#include "support/linux/block/disk_use.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "support/linux/block/sysfs.h"
#include "support/linux/mount_table.h"
#include "support/posix_path.h"

namespace longshore::block {

using support::is_within;
using support::Mount;

namespace {

struct Use {
  std::string what;  // "the mount /boot"
  bool is_of_system = false;
};

// The device that a file lies on, or that a device's node names.
dev_t device_behind(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
}

// 0: a file, whose filesystem is mounted, or none.
dev_t device_beneath_loop(const std::string& node) {
  const FileDescriptor loop(::open(node.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  loop_info64 info{};
  if (!loop || ::ioctl(loop.get(), LOOP_GET_STATUS64, &info) != 0) return 0;
  // As the kernel packs the two numbers (huge_encode_dev).
  const uint64_t packed = info.lo_rdevice;
  return ::makedev((packed >> 8) & 0xfff, (packed & 0xff) | ((packed >> 12) & 0xfff00));
}

class UseOfDisk {
 public:
  UseOfDisk(const BlockDevices& devices, const Disk& disk, const std::vector<std::string>& needed)
      : devices_(devices), disk_(disk), needed_(needed) {}

  // Everything that can be seen now.
  Result<std::vector<Use>> find() {
    const Result<std::vector<Mount>> mounts = support::read_mounts();
    if (!mounts) return mounts.error();
    add_mounts(*mounts);
    if (const auto first = support::read_mounts("1")) add_mounts(*first);
    add_swaps();
    add_loops();
    add_holder(disk_.name);
    for (const KernelPartition& partition : devices_.partitions(disk_)) add_holder(partition.name);
    return std::move(uses_);
  }

 private:
  // Whether what is mounted there is the system's, or what a needed directory lies on.
  bool is_of_system(const std::string& point) const {
    return point == "/" || is_within(point, "/boot") || is_within(point, "/usr") ||
           std::ranges::any_of(needed_,
                               [&](const std::string& path) { return is_within(path, point); });
  }

  bool is_beneath(dev_t device) {
    const auto [known, is_new] = opener_.try_emplace(device, false);
    if (is_new && device != 0) {
      const auto names = devices_.disks_beneath(device);
      known->second = std::ranges::find(names, disk_.name) != names.end();
    }
    return known->second;
  }

  // A btrfs may be on several disks, of which the mount names one.
  bool is_on_btrfs_of(const std::string& source) {
    const std::string filesystems = devices_.sysfs() + "/fs/btrfs/";
    const std::string name = source.substr(source.rfind('/') + 1);
    for (const std::string& filesystem : names_in(filesystems)) {
      const auto members = names_in(filesystems + filesystem + "/devices");
      if (std::ranges::find(members, name) == members.end()) continue;
      return std::ranges::any_of(members, [&](const std::string& member) {
        const auto device =
            read_device_attribute(devices_.sysfs() + "/class/block/" + member + "/dev");
        return device && is_beneath(*device);
      });
    }
    return false;
  }

  void add_mounts(const std::vector<Mount>& mounts) {
    for (const Mount& mount : mounts) {
      // To look one up is most of the work, and the first process seldom has others.
      if (!seen_.emplace(mount.id, mount.point).second) continue;
      // btrfs has a device number of its own; its source says what it was mounted from. Another's
      // source may be any text, and lie on what hangs.
      const bool has_node = mount.source.starts_with("/dev/") &&
                            std::filesystem::path(mount.source).lexically_normal() == mount.source;
      if (is_beneath(mount.device) || (has_node && is_beneath(device_behind(mount.source))) ||
          (mount.type == "btrfs" && is_on_btrfs_of(mount.source))) {
        uses_.push_back({"the mount " + mount.point, is_of_system(mount.point)});
      }
    }
  }

  void add_swaps() {
    std::ifstream swaps("/proc/swaps");
    std::string line;
    std::getline(swaps, line);  // the heading
    while (std::getline(swaps, line)) {
      const std::string path = line.substr(0, line.find_first_of(" \t"));
      if (is_beneath(device_behind(path))) uses_.push_back({"swapping on " + path, true});
    }
  }

  // They hold what they are made of so that nobody else notices.
  void add_loops() {
    const std::string blocks = devices_.sysfs() + "/block/";
    for (const std::string& name : names_in(blocks)) {
      if (!read_text_attribute(blocks + name + "/loop/backing_file")) continue;
      if (is_beneath(device_beneath_loop("/dev/" + name))) {
        uses_.push_back({"the device /dev/" + name + ", made of it", false});
      }
    }
  }

  void add_holder(const std::string& name) {
    const std::string holder = devices_.holder_of(disk_, name);
    if (!holder.empty()) uses_.push_back({"the device " + holder + ", made of " + name, false});
  }

  const BlockDevices& devices_;
  const Disk& disk_;
  const std::vector<std::string>& needed_;
  std::vector<Use> uses_;
  std::set<std::pair<uint64_t, std::string>> seen_;  // mounts, by id and point
  std::map<dev_t, bool> opener_;                     // what is_beneath() found
};

Error used(const Disk& disk, std::string_view operation, const std::string& what) {
  return Error(StatusCode::kFailedPrecondition, std::string(operation), disk.node)
      .because("it is in use by " + what);
}

}  // namespace

Result<void> check_not_system_disk(const BlockDevices& devices, const Disk& disk,
                                   std::string_view operation,
                                   const std::vector<std::string>& needed) {
  const Result<std::vector<Use>> uses = UseOfDisk(devices, disk, needed).find();
  if (!uses) return uses.error();
  const auto found = std::ranges::find_if(*uses, &Use::is_of_system);
  if (found == uses->end()) return {};
  return used(disk, operation, found->what)
      .advise("a disk that the running system needs is never changed");
}

Result<void> check_unused(const BlockDevices& devices, const Disk& disk,
                          std::string_view operation) {
  const Result<std::vector<Use>> uses = UseOfDisk(devices, disk, {}).find();
  if (!uses) return uses.error();
  if (uses->empty()) return {};
  return used(disk, operation, uses->front().what);
}

}  // namespace longshore::block
