// The disk group on Linux: sysfs, libblkid, libfdisk.
//
// Threads: any number at once; no state but the configuration.
#pragma once

#include <string>

#include "disk/disk_backend.h"
#include "support/linux/block/block_devices.h"
#include "support/linux/block/disk_names.h"

namespace longshore::disk {

class DiskBackendLinux final : public DiskBackend {
 public:
  explicit DiskBackendLinux(block::DiskNames names, std::string sysfs_root = "/sys")
      : devices_(std::move(names), std::move(sysfs_root)) {}

  Result<std::map<uint32_t, DiskLocation>> locations() override;
  Result<std::map<uint32_t, DiskIdentity>> identities() override;
  Result<uint64_t> size_in_bytes(uint32_t number) override;
  Result<void> partition(uint32_t number, const Deadline& deadline) override;
  Result<void> rescan(const Deadline& deadline) override;
  Result<bool> is_online(uint32_t number) override;
  Result<void> set_online(uint32_t number, bool online, const Deadline& deadline) override;

 private:
  Result<void> check_changeable(const block::Disk& disk) const;
  Result<void> take_offline(const block::Disk& disk, const Deadline& deadline) const;

  block::BlockDevices devices_;
};

}  // namespace longshore::disk
