// The disk group on Linux: sysfs, libblkid, libfdisk.
//
// What is offline is recorded at the disk's node (block/offline_record.h), whatever its kind.
//
// Threads: any number at once; no state but the configuration, and what a rescan waits for.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "disk/disk_backend.h"
#include "disk/linux/disk_rescan.h"
#include "support/linux/block/block_devices.h"
#include "support/linux/block/disk_names.h"

namespace longshore::disk {

class DiskBackendLinux final : public DiskBackend {
 public:
  struct Options {
    block::DiskNames disk_names;
    // A disk counts as blank whatever it holds that libblkid does not know.
    bool overwrites_unknown_data = false;
    // SCSI disks are taken offline in the kernel as well.
    bool offline_in_kernel = false;
    // A disk that is brought online is made writable, as far as the kernel's flag is concerned.
    bool clears_read_only = false;
    std::string sysfs_root = "/sys";
  };

  explicit DiskBackendLinux(Options options)
      : rescan_(options.sysfs_root),
        devices_(std::move(options.disk_names), std::move(options.sysfs_root)),
        overwrites_unknown_data_(options.overwrites_unknown_data),
        offline_in_kernel_(options.offline_in_kernel),
        clears_read_only_(options.clears_read_only) {}

  std::string bulkhead_of(uint32_t number) override;
  Result<std::map<uint32_t, DiskLocation>> locations() override;
  Result<std::map<uint32_t, DiskIdentity>> identities() override;
  Result<uint64_t> size_in_bytes(uint32_t number) override;
  Result<void> partition(uint32_t number, const Deadline& deadline) override;
  Result<void> rescan(const Deadline& deadline) override;
  Result<DiskState> state(uint32_t number) override;
  Result<void> set_online(uint32_t number, bool online, const Deadline& deadline) override;

 private:
  Result<void> check_changeable(const block::Disk& disk) const;
  Result<void> make_readable(const block::Disk& disk) const;
  bool is_scsi(const block::Disk& disk) const;
  // As SetDiskState leaves it.
  bool is_offline(const block::Disk& disk) const;
  Result<void> take_offline(const block::Disk& disk, const Deadline& deadline) const;
  Result<void> bring_online(const block::Disk& disk, const Deadline& deadline) const;
  // Where the kernel took it offline.
  Result<void> wake(const block::Disk& disk, std::string_view operation) const;

  DiskRescan rescan_;
  block::BlockDevices devices_;
  const bool overwrites_unknown_data_;
  const bool offline_in_kernel_;
  const bool clears_read_only_;
};

}  // namespace longshore::disk
