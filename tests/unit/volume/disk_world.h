// Loop disks that a test prepared itself, with the Linux backends of both groups on them.
#pragma once

#include <sys/mount.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "disk/disk_service.h"
#include "disk/linux/disk_backend_linux.h"
#include "tests/support/byte_units.h"
#include "tests/support/disk_content.h"
#include "tests/support/eventually.h"
#include "tests/support/loop_disk.h"
#include "tests/support/outcome.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/writable_node.h"
#include "volume/linux/volume_backend_linux.h"
#include "volume/volume_service.h"

namespace longshore::volume {

using test::kMebibyte;
using test::outcome;

constexpr uint64_t kDiskBytes = 64 * kMebibyte;

using Ids = std::vector<std::string>;

// What outlives an agent: targets, records of formatting, mkfs programs of the test's own. Unmounts
// what is left at its end.
class Node {
 public:
  Node() {
    for (const std::string& path : {root(), state(), programs()}) {
      std::filesystem::create_directory(path);
    }
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() {
    for (const std::string& target : targets_) {
      while (::umount2(target.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) == 0) {
      }
    }
  }

  std::string root() const { return directory_ / "kubelet"; }
  std::string state() const { return directory_ / "state"; }
  std::string programs() const { return directory_ / "programs"; }
  std::string at(const std::string& name) const { return directory_ / name; }

  // An empty directory to mount on.
  std::string target(const std::string& name) {
    targets_.push_back(root() + "/" + name);
    std::filesystem::create_directories(targets_.back());
    return targets_.back();
  }

  // A program that stands in for mkfs.ext4: a script without its first line. It has no environment.
  void put_mkfs(const std::string& script) const {
    const std::string path = programs() + "/mkfs.ext4";
    test::write_file(path, "#!/bin/sh\n" + script);
    if (::chmod(path.c_str(), 0755) != 0) throw std::runtime_error("cannot make a program");
  }

 private:
  const test::TemporaryDirectory directory_;
  std::vector<std::string> targets_;
};

struct AgentOptions {
  std::string filesystem = "ext4";
  std::vector<std::string> allowed_filesystems = {"ext4", "xfs", "btrfs", "ntfs"};
  std::string mkfs_directory = "/usr/sbin";
  std::string sysfs_root = "/sys";
  bool overwrite_unknown_data = false;
  bool offline_in_kernel = false;
  bool clear_read_only = false;
  bool mount_read_only_disks = false;
  bool skip_journal_replay = false;
  std::chrono::milliseconds patience{5000};
  std::vector<std::string> unit_directories = {};
};

// Both groups as one agent on the node has them, with none but these disks.
class Agent {
 public:
  Agent(const Node& node, const std::vector<const test::LoopDisk*>& disks,
        const AgentOptions& options = {})
      : partitions_({.disk_names = names(disks),
                     .overwrites_unknown_data = options.overwrite_unknown_data,
                     .offline_in_kernel = options.offline_in_kernel,
                     .clears_read_only = options.clear_read_only,
                     .sysfs_root = options.sysfs_root}),
        backend_({.disk_names = names(disks),
                  .roots = roots(node),
                  .allowed_filesystems = *AllowedFilesystems::from(options.allowed_filesystems),
                  .filesystem = options.filesystem,
                  .mkfs_directory = options.mkfs_directory,
                  .state_directory = node.state(),
                  .mount_read_only_disks = options.mount_read_only_disks,
                  .skips_journal_replay = options.skip_journal_replay,
                  .overwrites_unknown_data = options.overwrite_unknown_data,
                  .patience = options.patience,
                  .sysfs_root = options.sysfs_root,
                  .unit_directories = options.unit_directories}),
        disks_(partitions_),
        volumes_(roots(node), backend_) {}

  VolumeService& service() { return volumes_; }

  Result<void> try_partition(const test::LoopDisk& disk) {
    return disks_.partition(disk.number(), {}, "test");
  }
  std::string partition(const test::LoopDisk& disk) { return outcome(try_partition(disk)); }
  // Takes a WritableNode.
  Result<void> try_set_online(const test::LoopDisk& disk, bool online) {
    return disks_.set_online(disk.number(), online, {}, "test");
  }
  std::string set_online(const test::LoopDisk& disk, bool online) {
    return outcome(try_set_online(disk, online));
  }
  disk::DiskState state(const test::LoopDisk& disk) {
    const Result<disk::DiskState> state = disks_.state(disk.number());
    REQUIRE(state);
    return *state;
  }
  Ids ids(const test::LoopDisk& disk, uint32_t partition = 0) {
    const Result<Ids> ids = volumes_.list(disk.number(), partition);
    INFO((ids ? "" : ids.error().message()));
    REQUIRE(ids);
    return *ids;
  }
  // The one volume of a disk.
  std::string id(const test::LoopDisk& disk) {
    const Ids all = ids(disk);
    REQUIRE(all.size() == 1);
    return all.front();
  }
  // The same, of a blank disk that is partitioned for it.
  std::string new_volume(const test::LoopDisk& disk) {
    REQUIRE(partition(disk) == "OK");
    return id(disk);
  }
  // "true", "false" or the code's name.
  std::string is_formatted(const std::string& id) {
    const Result<bool> formatted = volumes_.is_formatted(id);
    return formatted ? (*formatted ? "true" : "false") : outcome(formatted);
  }
  Result<void> try_format(const std::string& id) { return volumes_.format(id, {}, "test"); }
  std::string format(const std::string& id) { return outcome(try_format(id)); }
  std::string mount(const std::string& id, const std::string& target) {
    return outcome(volumes_.mount(id, target, {}, "test", log_));
  }
  std::string unmount(const std::string& id, const std::string& target) {
    return outcome(volumes_.unmount(id, target, {}, "test", log_));
  }
  std::string flush(const std::string& id) { return outcome(volumes_.flush(id, log_)); }
  // What mount(), unmount() and flush() warned of so far.
  const std::vector<std::string>& warnings() const { return warnings_; }
  std::string resize(const std::string& id, uint64_t bytes) {
    return outcome(volumes_.resize(id, static_cast<int64_t>(bytes), {}, "test"));
  }
  // The volume that is mounted there.
  std::string id_at(const std::string& target) {
    const Result<std::string> id = volumes_.id_of_mount_point(target);
    return id ? *id : outcome(id);
  }

 private:
  static block::DiskNames names(const std::vector<const test::LoopDisk*>& disks) {
    std::vector<std::string> names;
    for (const test::LoopDisk* disk : disks) names.push_back(disk->name());
    return *block::DiskNames::from(names);
  }
  static support::AllowedRoots roots(const Node& node) {
    return *support::AllowedRoots::from({node.root()});
  }

  std::vector<std::string> warnings_;
  const support::WarningLog log_{[this](std::string_view text) { warnings_.emplace_back(text); }};
  disk::DiskBackendLinux partitions_;
  VolumeBackendLinux backend_;
  disk::DiskService disks_;
  VolumeService volumes_;
};

// What a call says of a volume whose disk was pulled out. The kernel may have given the loop device
// to another test, whose disk cannot be read while it comes or goes: then the call is made again.
inline std::string once_readable(const std::function<std::string()>& call) {
  std::string said;
  test::eventually([&] {
    said = call();
    return said != "UNAVAILABLE";
  });
  return said;
}

}  // namespace longshore::volume
