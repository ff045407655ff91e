// The world of the volume group's suite with disks, volumes and directories of a Windows that is
// made up.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "disk/windows/disk_backend_windows.h"
#include "longshore/windows/wide_text.hpp"
#include "support/allowed_roots.h"
#include "tests/support/node_path.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/windows/fake_node.h"
#include "tests/support/windows/ntfs_fake.h"
#include "tests/unit/volume/volume_setup.h"
#include "volume/volume_service.h"
#include "volume/windows/volume_backend_windows.h"

namespace longshore::volume {

class WindowsWorld {
 public:
  // Microsoft's reserved partition is number 1.
  static constexpr uint32_t kPartitionNumber = 2;
  // Windows keeps who has files open, and not the directory that a volume is seen at.
  static constexpr bool kOpenFilesKeepMounts = false;
  static std::string growing_filesystem() { return "NTFS"; }
  static constexpr uint32_t kSystemDisk = 100;

  explicit WindowsWorld(const Setup& setup = {}) : setup_(setup) {
    files_.put_directory(at("."));
    files_.put_directory(outside());
    node_.directories_of = [this](const std::wstring& volume) {
      std::error_code error;
      return files_.paths_of_volume(volume, error);
    };
    for (size_t place = 0; place < setup.disks; ++place) {
      test::FakeDisk& disk = node_.disk(number(place));
      disk.bytes = setup.bytes;
      if (setup.whole_disk_filesystem) put_whole_disk_filesystem(place);
    }
  }

  uint32_t number(size_t place = 0) const { return static_cast<uint32_t>(place) + 1; }
  Result<void> partition(size_t place = 0) { return disks_.partition(number(place), {}); }
  Result<void> set_online(bool online, size_t place = 0) {
    return disks_.set_online(number(place), online, {});
  }
  void make_read_only() { node_.disk(number()).write_protected = true; }
  void grow(uint64_t bytes) { node_.grow_disk(number(), bytes); }
  void unplug() {
    files_.lose_volume(narrow(node_.volume_name(number())));
    node_.remove_disk(number());
  }

  std::string outside() const { return "C:\\outside"; }
  // A path below the root.
  std::string at(const std::string& name) const {
    return test::node_path("/var/lib/kubelet/" + name);
  }

  void put_directory(const std::string& path) { files_.put_directory(real(path)); }
  void put_file(const std::string& path) { files_.put_file(real(path)); }
  void put_link(const std::string& text, const std::string& path) {
    files_.put_symbolic_link(test::node_path(text), real(path));
  }
  void put_foreign_mount(const std::string& path) {
    const std::string name = test::NtfsFake::volume_name(99);
    node_.other_volumes = {wide(name)};
    files_.mount(name, real(path));
  }
  void use(const std::string&) {}
  void release(const std::string&) {}

  VolumeService& service() { return service_; }
  VolumeBackendWindows& backend() { return backend_; }
  test::FakeNode& node() { return node_; }
  test::NtfsFake& files() { return files_; }

 private:
  // By the names of the volumes that are mounted on the way.
  std::string real(const std::string& path) const {
    for (size_t end = path.find('\\'); end != std::string::npos; end = path.find('\\', end + 1)) {
      const auto found = files_.inspect(path.substr(0, end));
      if (!found || !found->point ||
          found->point->kind != support::ReparseKind::kVolumeMountPoint) {
        continue;
      }
      return real(narrow(found->point->target) + path.substr(end + 1));
    }
    return path;
  }

  // As Windows tells of it: an MBR with one partition from the first byte on.
  void put_whole_disk_filesystem(size_t place) {
    test::FakeDisk& disk = node_.disk(number(place));
    disk.style = PARTITION_STYLE_MBR;
    PARTITION_INFORMATION_EX entry{};
    entry.PartitionStyle = PARTITION_STYLE_MBR;
    entry.PartitionLength.QuadPart = static_cast<LONGLONG>(disk.bytes);
    entry.Mbr.PartitionType = PARTITION_IFS;
    disk.entries = {entry};
    test::FakeVolume& volume = node_.volume(number(place));
    volume.filesystem = "NTFS";
    volume.filesystem_bytes = disk.bytes;
  }

  support::AllowedRoots roots() const {
    return *support::AllowedRoots::from({"C:\\var\\lib\\kubelet"});
  }

  const Setup setup_;
  const test::TemporaryDirectory state_;
  test::FakeNode node_{kSystemDisk};
  test::NtfsFake files_;
  disk::DiskBackendWindows disks_{node_, node_, node_, {.patience = std::chrono::milliseconds(0)}};
  VolumeBackendWindows backend_{{node_, node_, files_, node_},
                                {.roots = roots(),
                                 .state_directory = state_.path().string(),
                                 .mount_read_only_disks = setup_.mount_read_only_disks,
                                 .patience = std::chrono::milliseconds(0)}};
  VolumeService service_{roots(), backend_};
};

}  // namespace longshore::volume
