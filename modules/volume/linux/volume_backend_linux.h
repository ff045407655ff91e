// The volume group on Linux: libblkid, libfdisk, the kernel's mount API, mkfs.
//
// What must not meet is kept apart by the lock on the whole disk (block/opened_disk.h), which other
// modules, processes and mkfs heed too. It is held while the table or the volume changes, and while
// a volume is mounted, so that nobody mounts what is being made.
//
// Threads: any number at once; no state but the configuration, the files of format_records.h and
// what is mounted.
#pragma once

#include <chrono>
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
#include "volume/allowed_filesystems.h"
#include "volume/linux/format_records.h"
#include "volume/linux/make_filesystem.h"
#include "volume/linux/mount_unit.h"
#include "volume/linux/volume_finder.h"
#include "volume/volume_backend.h"

namespace longshore::volume {

class VolumeBackendLinux final : public VolumeBackend {
 public:
  struct Options {
    block::DiskNames disk_names;
    support::AllowedRoots roots;             // of the targets
    AllowedFilesystems allowed_filesystems;  // to mount
    std::string filesystem;                  // what format() makes
    std::string mkfs_directory;
    std::string state_directory;  // "": nothing survives a crash
    bool mount_read_only_disks = false;
    // Of these disks, what was not unmounted properly is mounted without its journal.
    bool skips_journal_replay = false;
    // What libblkid does not know is formatted.
    bool overwrites_unknown_data = false;
    // How long is waited for disks that do not answer before others are gone on with. Longer than a
    // disk takes that is only busy, and well below what callers wait (30 s).
    std::chrono::milliseconds patience{5000};
    std::string sysfs_root = "/sys";
    // Of units for what is mounted on a path.
    std::vector<std::string> unit_directories = volume::unit_directories();
  };

  explicit VolumeBackendLinux(Options options);

  std::string bulkhead_of(const support::PosixPath& path) override { return mounts_.key_of(path); }
  std::string bulkhead_of_disk(uint32_t number) override;
  std::string bulkhead_of_volume(const std::string& id) override;
  Result<std::vector<std::string>> list(uint32_t disk_number, uint32_t partition_number,
                                        const Deadline& deadline) override;
  Result<bool> is_formatted(const std::string& id) override;
  Result<void> format(const std::string& id, const Deadline& deadline) override;
  Result<void> mount(const std::string& id, const support::PosixPath& target,
                     const Deadline& deadline, const support::WarningLog& warnings) override;
  Result<void> unmount(const std::string& id, const support::PosixPath& target,
                       const Deadline& deadline, const support::WarningLog& warnings) override;
  Result<void> flush(const std::string& id, const support::WarningLog& warnings) override;
  Result<void> resize(const std::string& id, uint64_t size, const Deadline& deadline) override;
  Result<VolumeStats> stats(const std::string& id) override;
  Result<uint32_t> disk_number_of(const std::string& id) override;
  Result<std::string> id_of_mount_point(const support::PosixPath& path,
                                        const Deadline& deadline) override;
  Result<std::string> closest_id(const support::PosixPath& path, const Deadline& deadline) override;

 private:
  // A volume whose disk is locked, with the kernel's device for it.
  struct Locked {
    Volume volume;
    block::DiskLock lock;
    std::string node;
    dev_t device = 0;
    bool read_only = false;  // the disk or the partition
  };

  // A descriptor from which the volume's bytes are read, and where in it they are.
  struct Source {
    FileDescriptor descriptor;
    block::ByteRange range;
    dev_t device = 0;  // the kernel's for the volume; 0: it has none
  };

  // Any directory of a filesystem, and what keeps it mounted, if nobody else does.
  struct OpenedFilesystem {
    FileDescriptor directory;
    FileDescriptor mount = {};
  };

  // For the node of its partition, if the kernel knows that.
  Result<void> wait_for_node_of(const Volume& volume, const Deadline& deadline) const;
  // What flush() answers for an id that no disk has, which is the error `unknown`.
  Result<void> flush_lost(const std::string& id, const Error& unknown,
                          const support::WarningLog& warnings) const;
  Result<Source> open_source(const Volume& volume, std::string_view operation) const;
  Result<block::Content> content_of(const Volume& volume, std::string_view operation) const;
  // Its first kSuperblockBytes.
  Result<std::string> read_start(const Volume& volume) const;
  Result<std::optional<VolumeStats>> superblock_of(const Volume& volume,
                                                   const std::string& type) const;
  Result<VolumeStats> stats_of_mounted(const Volume& volume,
                                       const std::vector<support::Mount>& mounts) const;

  // volume_lock.cc
  std::vector<std::string> needed_directories() const;
  Result<Locked> lock(const std::string& id, const Deadline& deadline, std::string_view operation);
  Result<void> check_place(const Volume& volume, const block::DiskLock& lock,
                           std::string_view operation) const;
  static Result<void> check_writable(const Locked& locked, std::string_view operation);

  // volume_format.cc
  Result<bool> needs_format(const Volume& volume) const;
  Result<void> check_blank(const Volume& volume) const;
  Result<void> finish_format(const Locked& locked);
  Result<void> make_filesystem(const Locked& locked);
  static Result<FileDescriptor> open_to_write(const Locked& locked, int flags);
  Result<void> run_mkfs(const Locked& locked, const std::string& uuid);
  // That the kernel takes what mkfs made.
  static Result<void> check_mountable(const Locked& locked, const block::Content& content);
  // What was made there is nobody's.
  static Result<void> make_blank(const Locked& locked);
  Result<bool> is_formatted(const Volume& volume, const block::Content& content) const;

  // volume_mounting.cc
  // The target, opened and empty; nothing if the volume is mounted there already.
  Result<std::optional<FileDescriptor>> open_target(const std::string& id,
                                                    const support::PosixPath& target,
                                                    const Deadline& deadline) const;
  Result<bool> is_mounted_at(const std::string& id, const FileDescriptor& directory,
                             const support::PosixPath& target) const;
  // The mount's id.
  Result<uint64_t> mount_on(const FileDescriptor& directory, const Locked& locked,
                            const support::PosixPath& target, const support::WarningLog& warnings);
  bool is_at(const support::PosixPath& target, uint64_t mount_id) const;
  // That the target is the mount that was just made; else takes it away again.
  Result<void> check_attached(const FileDescriptor& mount, uint64_t mount_id,
                              const support::PosixPath& target) const;
  // Whether the mount's disk is lost. FAILED_PRECONDITION: the mount is not of this volume.
  Result<bool> is_lost_mount_of(const support::Mount& mount, const std::string& id) const;
  // Any directory of a filesystem that is mounted.
  Result<FileDescriptor> open_mount(const Volume& volume,
                                    const std::vector<support::Mount>& mounts) const;

  // volume_resize.cc
  Result<uint64_t> device_bytes_for(const Locked& locked, uint64_t size) const;
  Result<void> grow_partition(Locked& locked, uint64_t bytes);
  // Where it is mounted, or else mounted nowhere.
  Result<OpenedFilesystem> open_filesystem(const Locked& locked, const std::string& type) const;

  support::MountBulkheads mounts_;
  support::RootedOpener opener_;
  const AllowedFilesystems allowed_filesystems_;
  const bool mounts_read_only_disks_;
  const bool skips_journal_replay_;
  const bool overwrites_unknown_data_;
  const std::vector<std::string> unit_directories_;
  block::BlockDevices devices_;
  VolumeFinder finder_;
  FilesystemMaker maker_;
  FormatRecords records_;
};

}  // namespace longshore::volume
