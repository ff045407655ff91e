// The volume group on Linux: libblkid, libfdisk, the kernel's mount API, mkfs.
//
// What must not meet is kept apart by the lock on the whole disk (block/opened_disk.h), which other
// modules, processes and mkfs heed too. It is held while the table or the volume changes, and while
// a volume is mounted, so that nobody mounts what is being made.
//
// Threads: any number at once; no state but the configuration, the files of format_records.h and
// what is mounted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/allowed_roots.h"
#include "support/linux/block/block_devices.h"
#include "support/linux/block/disk_names.h"
#include "support/linux/block/opened_disk.h"
#include "support/linux/mount_bulkheads.h"
#include "support/linux/mount_table.h"
#include "support/linux/rooted_opener.h"
#include "volume/linux/format_records.h"
#include "volume/linux/make_filesystem.h"
#include "volume/linux/volume_finder.h"
#include "volume/volume_backend.h"

namespace longshore::volume {

class VolumeBackendLinux final : public VolumeBackend {
 public:
  struct Options {
    block::DiskNames disk_names;
    support::AllowedRoots roots;  // of the targets
    std::string filesystem;       // what format() makes
    std::string mkfs_directory;
    std::string state_directory;  // "": nothing survives a crash
    std::string sysfs_root = "/sys";
  };

  explicit VolumeBackendLinux(Options options);

  std::string bulkhead_of(const support::PosixPath& path) override { return mounts_.key_of(path); }
  Result<std::vector<std::string>> list(uint32_t disk_number, uint32_t partition_number) override;
  Result<bool> is_formatted(const std::string& id) override;
  Result<void> format(const std::string& id, const Deadline& deadline) override;
  Result<void> mount(const std::string& id, const support::PosixPath& target,
                     const Deadline& deadline) override;
  Result<void> unmount(const std::string& id, const support::PosixPath& target,
                       const Deadline& deadline) override;
  Result<void> flush(const std::string& id) override;
  Result<void> resize(const std::string& id, uint64_t size, const Deadline& deadline) override;
  Result<VolumeStats> stats(const std::string& id) override;
  Result<uint32_t> disk_number_of(const std::string& id) override;
  Result<std::string> id_of_mount_point(const support::PosixPath& path) override;
  Result<std::string> closest_id(const support::PosixPath& path) override;

 private:
  // A volume whose disk is locked, with the kernel's device for it.
  struct Locked {
    Volume volume;
    block::DiskLock lock;
    std::string node;
    dev_t device = 0;
  };

  // A descriptor from which the volume's bytes are read, and where in it they are.
  struct Source {
    FileDescriptor descriptor;
    block::ByteRange range;
  };

  std::vector<std::string> needed_directories() const;
  Result<Locked> lock(const std::string& id, const Deadline& deadline, std::string_view operation);
  Result<Source> open_source(const Volume& volume, std::string_view operation) const;
  Result<block::Content> content_of(const Volume& volume, std::string_view operation) const;
  // Its first kSuperblockBytes.
  Result<std::string> read_start(const Volume& volume) const;
  Result<std::optional<VolumeStats>> superblock_of(const Volume& volume,
                                                   const std::string& type) const;
  Result<VolumeStats> stats_of_mounted(const Volume& volume,
                                       const std::vector<support::Mount>& mounts) const;
  Result<void> check_unchanged(const Volume& volume, const block::DiskLock& lock,
                               std::string_view operation) const;
  Result<void> check_writable(const Volume& volume, std::string_view operation) const;

  // volume_format.cc
  Result<bool> needs_format(const Volume& volume) const;
  Result<void> make_filesystem(const Locked& locked);
  Result<bool> is_formatted(const Volume& volume, const block::Content& content) const;

  // volume_mounting.cc
  // The target, opened and empty; nothing if the volume is mounted there already.
  Result<std::optional<FileDescriptor>> open_target(const std::string& id,
                                                    const support::PosixPath& target) const;
  Result<bool> is_mounted_at(const std::string& id, const FileDescriptor& directory,
                             const support::PosixPath& target) const;
  Result<void> mount_on(const FileDescriptor& directory, const Locked& locked,
                        const support::PosixPath& target);
  Result<void> check_mount_of(const support::Mount& mount, const std::string& id) const;
  // Any directory of a filesystem that is mounted.
  Result<FileDescriptor> open_mount(const Volume& volume,
                                    const std::vector<support::Mount>& mounts) const;
  Result<std::string> id_at(const support::PosixPath& path, std::string_view operation,
                            bool at_its_root) const;

  // volume_resize.cc
  Result<uint64_t> grow_device(Locked& locked, uint64_t size);
  Result<void> grow_partition(Locked& locked, uint64_t bytes);
  Result<void> grow_filesystem(const Locked& locked, const std::string& type, uint64_t bytes);

  support::MountBulkheads mounts_;
  support::RootedOpener opener_;
  block::BlockDevices devices_;
  VolumeFinder finder_;
  FilesystemMaker maker_;
  FormatRecords records_;
};

}  // namespace longshore::volume
