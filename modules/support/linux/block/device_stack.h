// What block devices are made of, and so what calls for them would hang on, as sysfs tells.
//
// Reading sysfs opens no device, so nothing here blocks on a disk that does not answer.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace longshore::block {

// A whole disk. Partitions count as their disk.
struct StackedDisk {
  std::string name;        // "dm-0", "sda"
  bool is_lowest = false;  // it is made of no other
};

// All that the device is made of through partitions, dm and md, its own disk first. None: there is
// no such block device.
std::vector<StackedDisk> stack_of(dev_t device, const std::string& sysfs_root = "/sys");

// For Context::enter_bulkhead: "disk 12", by the number of the disk that the device lies on at the
// bottom. What lies on several, as multipath and RAID, is the disk itself: it may work while one of
// them does not. "": no block device, or a kernel that does not number disks.
std::string bulkhead_of(dev_t device, const std::string& sysfs_root = "/sys");

}  // namespace longshore::block
