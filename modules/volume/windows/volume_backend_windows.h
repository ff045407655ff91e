// The volume group on Windows: volumes' and disks' control codes, directories by their handles, and
// WMI to make a filesystem.
//
// Windows mounts what it knows by itself as soon as a disk is online. What is mounted and unmounted
// here is a directory on which a volume is seen; a volume may be seen at several. So open files
// keep no volume at a directory: who has one open keeps it.
//
// Threads: any number at once; no state but the configuration and what LostMounts remembers. Owner:
// outlives its calls; the layers outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/allowed_roots.h"
#include "support/windows/device_control.h"
#include "support/windows/disk_device.h"
#include "support/windows/file_system_calls.h"
#include "support/windows/reparse_point.h"
#include "support/windows/rooted_opener.h"
#include "support/windows/volume_functions.h"
#include "support/windows/wmi.h"
#include "volume/volume_backend.h"
#include "volume/windows/format_records.h"
#include "volume/windows/lost_mounts.h"
#include "volume/windows/volume_finder.h"
#include "volume/windows/volume_formatter.h"

namespace longshore::volume {

class VolumeBackendWindows final : public VolumeBackend {
 public:
  struct Layers {
    support::DeviceControl& devices;
    support::VolumeFunctions& volumes;
    support::FileSystemCalls& files;
    support::Wmi& wmi;
  };
  struct Options {
    support::AllowedRoots roots;
    std::string filesystem = "NTFS";
    std::string state_directory;  // "": nothing survives a crash
    bool mount_read_only_disks = false;
    // For how long Windows is given to make a volume of a new partition.
    std::chrono::milliseconds patience{10'000};
  };

  // No disk has this number.
  static constexpr uint32_t kNoDisk = 0xffffffff;

  VolumeBackendWindows(const Layers& layers, Options options);

  std::string bulkhead_of(const support::WindowsPath&) override { return {}; }
  Result<std::vector<std::string>> list(uint32_t disk_number, uint32_t partition_number,
                                        const Deadline& deadline) override;
  Result<bool> is_formatted(const std::string& id) override;
  Result<void> format(const std::string& id, const Deadline& deadline) override;
  Result<void> mount(const std::string& id, const support::WindowsPath& target,
                     const Deadline& deadline, const support::WarningLog& warnings) override;
  Result<void> unmount(const std::string& id, const support::WindowsPath& target,
                       const Deadline& deadline, const support::WarningLog& warnings) override;
  Result<void> flush(const std::string& id, const support::WarningLog& warnings) override;
  Result<void> resize(const std::string& id, uint64_t size, const Deadline& deadline) override;
  Result<VolumeStats> stats(const std::string& id) override;
  Result<uint32_t> disk_number_of(const std::string& id) override;
  Result<std::string> id_of_mount_point(const support::WindowsPath& path,
                                        const Deadline& deadline) override;
  Result<std::string> closest_id(const support::WindowsPath& path,
                                 const Deadline& deadline) override;

 private:
  // What is on a volume. Only its `type` is empty where it is nothing.
  struct Content {
    bool is_formatted = false;
    std::string type;
    uint32_t serial_number = 0;
    bool is_mountable = false;  // Windows knows the filesystem
  };
  // What a target is now.
  struct Target {
    std::unique_ptr<support::OpenFile> opened;
    support::OpenFile::Facts facts;
    std::optional<support::ReparsePoint> point;  // of a reparse point
    bool is_link = false;
    std::string mounted;  // the volume, of a mount point
  };

  Result<std::unique_ptr<support::Device>> open_device(const Volume& volume,
                                                       support::DeviceControl::Access access,
                                                       std::string_view operation) const;
  Result<uint64_t> device_size(const Volume& volume, std::string_view operation) const;
  Result<Content> content_of(const Volume& volume, std::string_view operation) const;
  Result<void> check_writable(const Volume& volume, std::string_view operation) const;
  Result<void> check_changeable(const Volume& volume, std::string_view operation) const;
  std::vector<std::wstring> root_devices() const;

  // volume_mounting.cc
  bool is_dirty(const Volume& volume) const;
  Result<Target> look_at(const support::WindowsPath& path, std::string_view operation) const;
  Result<void> check_empty(Target& target, const support::WindowsPath& path) const;
  Result<void> attach(Target& target, const Volume& volume, const support::WindowsPath& path) const;
  // Whether the volume mounted there is gone; FAILED_PRECONDITION if it is another one than `id`.
  Result<bool> is_lost_mount_of(const std::string& mounted, const std::string& id,
                                const support::WindowsPath& path) const;

  // The id of a volume that is mounted at a path's end and cannot be entered: its disk is offline
  // or gone. "": it is there.
  Result<std::string> id_of_absent(const std::string& volume);

  // volume_resize.cc
  Result<uint64_t> grow_partition(const Volume& volume, uint64_t size);
  Result<void> grow_filesystem(const Volume& volume, uint64_t bytes) const;

  const Layers layers_;
  support::RootedOpener opener_;
  const bool mounts_read_only_disks_;
  const std::chrono::milliseconds patience_;
  VolumeFinder finder_;
  VolumeFormatter formatter_;
  FormatRecords records_;
  LostMounts lost_;
};

}  // namespace longshore::volume
