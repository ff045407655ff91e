// The block devices of this node, as sysfs tells of them.
//
// A disk is a whole block device; its number is the kernel's `diskseq`, which no two disks share
// until the node starts again and which a disk that is taken away and comes back gets anew. Sectors
// are sysfs's: 512 bytes, whatever the disk's own are.
//
// The kernel shows a disk that was just plugged in, and its node, some time before it lets anybody
// open it. Until then it is not there for any call, as one that is being taken away is not: what is
// listed can be used, and a number that nobody was told is NOT_FOUND. Nothing waits for it; who
// expects a disk lists again. A disk whose attributes cannot be read is left out, and hides no
// other.
//
// Reading sysfs opens no device, so nothing here blocks on a disk that does not answer.
//
// Threads: immutable; every call looks anew. sysfs's root is a parameter for the tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "support/linux/block/disk_names.h"

namespace longshore::block {

constexpr uint64_t kSectorBytes = 512;

// A partition that the kernel knows. One that stands in the table only has none of these.
struct KernelPartition {
  std::string name;  // "sda1"
  std::string node;  // "/dev/sda1"
  uint32_t number = 0;
  uint64_t start = 0;  // in sectors
  uint64_t sectors = 0;
  dev_t device = 0;
  bool read_only = false;  // also where the whole disk is
};

struct Disk {
  std::string name;  // "sda"
  std::string node;  // "/dev/sda"
  uint32_t number = 0;
  uint64_t sectors = 0;
  bool read_only = false;
  dev_t device = 0;
  // Devices of dm, md and the like that are made of the whole disk.
  std::vector<std::string> holders;

  uint64_t size_in_bytes() const { return sectors * kSectorBytes; }
};

class BlockDevices {
 public:
  explicit BlockDevices(DiskNames names, std::string sysfs_root = "/sys")
      : names_(std::move(names)), sysfs_(std::move(sysfs_root)) {}

  const std::string& sysfs() const { return sysfs_; }

  // The disks that are served and have a medium, by number. UNAVAILABLE: no sysfs, or a kernel
  // before 5.15, which has no diskseq.
  Result<std::vector<Disk>> disks() const;

  // NOT_FOUND: no such disk is served. `operation` completes "cannot ...".
  Result<Disk> disk(uint32_t number, std::string_view operation) const;

  // The disk that a device is or lies on as a partition; nothing if that is not served.
  std::optional<Disk> disk_of(dev_t device) const;

  // Whether a disk of this name, or one with a partition of it ("sda1", "nvme0n1p1"), is served if
  // it is there.
  bool serves(std::string_view name) const;

  std::vector<KernelPartition> partitions(const Disk& disk) const;

  // The names of the whole disks that a device is made of, itself included, through partitions, dm
  // and md. Also of devices that are not served.
  std::vector<std::string> disks_beneath(dev_t device) const;

  // What calls for the disk would hang on: see device_stack.h.
  std::string bulkhead_of(const Disk& disk) const;
  // Whether the disk is there yet. Cheap: nothing else of sysfs is read.
  bool is_there(const Disk& disk) const;

  // Whether the kernel lets anything reach it: it may have taken a SCSI disk offline or blocked it,
  // and opening it then fails or waits. (Not what SetDiskState says: see offline_record.h.)
  bool is_reachable(const Disk& disk) const;

  // The name of what sits on a partition or disk of this name (dm, md), or "".
  std::string holder_of(const Disk& disk, std::string_view name) const;

  // "/sys/block/sda" joined with what lies below it.
  std::string path_of(const Disk& disk, std::string_view below) const;

 private:
  std::optional<Disk> read_disk(const std::string& name) const;
  bool are_numbered(const std::vector<std::string>& names) const;

  DiskNames names_;
  std::string sysfs_;
};

}  // namespace longshore::block
