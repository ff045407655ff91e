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

#include "support/linux/block/opened_disk.h"
#include "support/linux/block/sysfs.h"
#include "support/linux/file_users.h"
#include "support/linux/mount_namespaces.h"
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

// What a mount's source is may be any text, and lie on what hangs.
bool has_node(const std::string& source) {
  return source.starts_with("/dev/") && std::filesystem::path(source).lexically_normal() == source;
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
  UseOfDisk(const BlockDevices& devices, const Disk& disk, std::vector<std::string> needed = {})
      : devices_(devices), disk_(disk), needed_(std::move(needed)) {}

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

  // What is mounted where neither this process nor the first one sees it; "": nothing. Who made
  // such a mount may have chosen its source, unless it is btrfs'.
  std::string find_elsewhere() {
    const auto found = support::find_mount_elsewhere([&](const Mount& mount) {
      return is_beneath(mount.device) || (mount.type == "btrfs" && is_btrfs_of(mount.source));
    });
    return found ? found->text() : "";
  }

  // A process that keeps the disk from being opened for oneself, or what is known of it.
  std::string find_opener() {
    auto search = support::find_file_user(
        [&](const support::UsedFile& file) { return is_beneath(file.device); });
    if (search.found) return search.text("") + ", though it is not mounted any more";
    search = support::find_file_user(
        [&](const support::UsedFile& file) { return is_beneath(file.node_of); });
    if (search.found) return search.found->process + " has the device open";
    return search.text("something uses it: a mount, dm or md, or who has files open in it");
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

  bool is_btrfs_of(const std::string& source) {
    return (has_node(source) && is_beneath(device_behind(source))) || is_on_btrfs_of(source);
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
      // btrfs has a device number of its own; its source says what it was mounted from.
      if (is_beneath(mount.device) ||
          (has_node(mount.source) && is_beneath(device_behind(mount.source))) ||
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
  const std::vector<std::string> needed_;
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
  UseOfDisk use(devices, disk);
  const Result<std::vector<Use>> uses = use.find();
  if (!uses) return uses.error();
  if (!uses->empty()) return used(disk, operation, uses->front().what);
  const std::string elsewhere = use.find_elsewhere();
  if (!elsewhere.empty()) return used(disk, operation, elsewhere);
  return {};
}

Result<FileDescriptor> open_unused(const BlockDevices& devices, const Disk& disk,
                                   std::string_view operation) {
  if (auto unused = check_unused(devices, disk, operation); !unused) return unused.error();
  Result<FileDescriptor> opened = open_disk(disk, O_RDONLY | O_EXCL, operation);
  if (opened || opened.error().system() != std::errc::device_or_resource_busy) return opened;
  std::string user = UseOfDisk(devices, disk).find_opener();
  return Error(std::move(opened).error()).advise(std::move(user));
}

}  // namespace longshore::block
