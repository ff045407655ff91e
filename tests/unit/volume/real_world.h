// The world of the volume group's suite that is made of files: loop disks, with the backends for
// Linux.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "disk/linux/disk_backend_linux.h"
#include "longshore/linux/file_descriptor.hpp"
#include "support/linux/block/disk_names.h"
#include "tests/support/capability.h"
#include "tests/support/disk_content.h"
#include "tests/support/loop_disk.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/writable_node.h"
#include "tests/unit/volume/volume_setup.h"
#include "volume/linux/volume_backend_linux.h"
#include "volume/volume_service.h"

namespace longshore::volume {

class RealWorld {
 public:
  explicit RealWorld(const Setup& setup = {})
      : filesystem_(setup.filesystem),
        mounts_read_only_disks_(setup.mount_read_only_disks),
        disks_(make_disks(setup)) {
    for (const test::LoopDisk& disk : disks_) nodes_.emplace_back(disk.node());
  }
  RealWorld(const RealWorld&) = delete;
  RealWorld& operator=(const RealWorld&) = delete;
  ~RealWorld() {
    users_.clear();
    for (const std::string& point : mounts_below()) {
      ::umount2(point.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH);
    }
  }

  // Of the partition that PartitionDisk makes.
  static constexpr uint32_t kPartitionNumber = 1;
  // Whether what is used is not unmounted.
  static constexpr bool kOpenFilesKeepMounts = true;
  // A filesystem that can grow here; "" where there is none.
  static std::string growing_filesystem() {
    if (test::has_capability(CAP_SYS_RESOURCE)) return "ext4";
    return std::filesystem::exists("/usr/sbin/mkfs.xfs") ? "xfs" : "";
  }

  uint32_t number(size_t place = 0) const { return disks_.at(place).number(); }
  Result<void> partition(size_t place = 0) { return partitions_.partition(number(place), {}); }
  Result<void> set_online(bool online, size_t place = 0) {
    return partitions_.set_online(number(place), online, {});
  }
  void make_read_only() { protections_.emplace_back(disks_.front()); }
  void grow(uint64_t bytes) { disks_.front().grow(bytes); }
  void unplug() { disks_.front().clear(); }

  std::string outside() const { return directories_.outside; }
  // A path below the root.
  std::string at(const std::string& name) const { return directories_.root + "/" + name; }

  void put_directory(const std::string& path) { std::filesystem::create_directories(path); }
  void put_file(const std::string& path) { test::write_file(path, "content"); }
  void put_link(const std::string& text, const std::string& path) {
    std::filesystem::create_symlink(text, path);
  }
  void put_foreign_mount(const std::string& path) {
    if (::mount("none", path.c_str(), "tmpfs", 0, nullptr) != 0) {
      throw std::runtime_error("cannot mount on " + path);
    }
  }
  // Somebody uses what is mounted there, until release().
  void use(const std::string& path) {
    users_.emplace_back(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  void release(const std::string&) { users_.clear(); }

  VolumeService& service() { return service_; }

 private:
  struct Directories {
    Directories() {
      for (const std::string& path : {root, outside, state}) {
        std::filesystem::create_directories(path);
      }
    }
    const test::TemporaryDirectory all;
    const std::string root = all / "kubelet";
    const std::string outside = all / "outside";
    const std::string state = all / "state";
  };

  static std::deque<test::LoopDisk> make_disks(const Setup& setup) {
    std::deque<test::LoopDisk> disks;
    for (size_t place = 0; place < setup.disks; ++place) {
      disks.emplace_back(setup.bytes);
      if (setup.whole_disk_filesystem) disks.back().make_filesystem();
    }
    return disks;
  }

  // The lowest first.
  std::vector<std::string> mounts_below() const {
    std::vector<std::string> points;
    std::ifstream table("/proc/self/mountinfo");
    for (std::string line; std::getline(table, line);) {
      size_t start = 0;
      for (int field = 0; field < 4; ++field) start = line.find(' ', start) + 1;
      const std::string point = line.substr(start, line.find(' ', start) - start);
      if (point.starts_with(directories_.all / "")) points.push_back(point);
    }
    std::reverse(points.begin(), points.end());
    return points;
  }

  // None but the world's own disks.
  block::DiskNames names() const {
    std::vector<std::string> names;
    for (const test::LoopDisk& disk : disks_) names.push_back(disk.name());
    return *block::DiskNames::from(names);
  }
  support::AllowedRoots roots() const { return *support::AllowedRoots::from({directories_.root}); }

  const std::string filesystem_;
  const Directories directories_;
  const bool mounts_read_only_disks_;
  std::deque<test::LoopDisk> disks_;
  std::deque<test::WritableNode> nodes_;
  std::deque<test::WriteProtection> protections_;
  std::vector<FileDescriptor> users_;
  disk::DiskBackendLinux partitions_{{.disk_names = names()}};
  VolumeBackendLinux backend_{
      {.disk_names = names(),
       .roots = roots(),
       .allowed_filesystems = *AllowedFilesystems::from({"ext4", "xfs", "btrfs", "ntfs"}),
       .filesystem = filesystem_,
       .mkfs_directory = "/usr/sbin",
       .state_directory = directories_.state,
       .mount_read_only_disks = mounts_read_only_disks_}};
  VolumeService service_{roots(), backend_};
};

}  // namespace longshore::volume
