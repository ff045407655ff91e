// What the volume group needs of the operating system.
//
// A volume is a partition, or a whole disk that carries a filesystem and no table. It is known by
// an id that outlives restarts of the node, but for ids that have to tell by the disk's number: of
// copies, and of partitions without a uuid. An id that names no volume is NOT_FOUND, one that names
// several FAILED_PRECONDITION with the ids that tell them apart. While a disk cannot be read, an id
// that no other disk has is UNAVAILABLE. Errors name the operation, the volume and what the system
// answered.
//
// Threads: any number at once. VolumeService lets no two mutations of one volume, nor two at one
// target, meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/posix_path.h"

namespace longshore::volume {

// In bytes. A volume without a filesystem has the size of its device and nothing used.
struct VolumeStats {
  uint64_t total = 0;
  uint64_t used = 0;

  bool operator==(const VolumeStats&) const = default;
};

class VolumeBackend {
 public:
  virtual ~VolumeBackend() = default;

  // What a call for the path would hang on, should it hang: the server or filesystem behind it, as
  // far as that is known without touching the path. "": nothing but the path. Never blocks. (Of
  // calls for a volume no more is known than its id, before disks are read.)
  virtual std::string bulkhead_of(const support::PosixPath& path) = 0;

  // The ids of the volumes on a disk, or of one partition's (numbered from 1; 0 means all), in the
  // order of the partitions. A disk that does not exist has none: csi-proxy answers so.
  // UNAVAILABLE: the disk cannot be read for the moment.
  virtual Result<std::vector<std::string>> list(uint32_t disk_number,
                                                uint32_t partition_number) = 0;

  // Whether it holds a filesystem, or anything else that formatting would destroy. What an mkfs
  // that was cut short has left is nothing of that kind.
  virtual Result<bool> is_formatted(const std::string& id) = 0;

  // Makes the configured filesystem. A volume that was formatted here and never mounted since is
  // left as it is: success. FAILED_PRECONDITION: it holds something already, is mounted, read-only,
  // or the system needs its disk.
  virtual Result<void> format(const std::string& id, const Deadline& deadline) = 0;

  // Mounts it on an existing empty directory within the allowed roots. The same volume mounted
  // there already is success. FAILED_PRECONDITION: the target is no empty directory, or a link, or
  // something else is mounted there; the volume holds no filesystem. NOT_FOUND also: there is no
  // target.
  virtual Result<void> mount(const std::string& id, const support::PosixPath& target,
                             const Deadline& deadline) = 0;

  // Writes what is unwritten, as far as that is possible, and unmounts. Nothing mounted there is
  // success. FAILED_PRECONDITION: another volume is mounted there, somebody uses it, or the target
  // is a link.
  virtual Result<void> unmount(const std::string& id, const support::PosixPath& target,
                               const Deadline& deadline) = 0;

  // Writes what is unwritten.
  virtual Result<void> flush(const std::string& id) = 0;

  // Grows the partition and the filesystem to `size` bytes; 0 is as far as they go. A volume that
  // is as large already is left as it is: success. OUT_OF_RANGE: the disk has not got so much.
  // FAILED_PRECONDITION: it holds no filesystem.
  virtual Result<void> resize(const std::string& id, uint64_t size, const Deadline& deadline) = 0;

  virtual Result<VolumeStats> stats(const std::string& id) = 0;

  // The disk that the volume is on; of a volume on several disks the first.
  virtual Result<uint32_t> disk_number_of(const std::string& id) = 0;

  // The volume that is mounted at the path, which may be a link to the mount point.
  // FAILED_PRECONDITION ("not a mounted folder"): none is. NOT_FOUND: there is no such path.
  virtual Result<std::string> id_of_mount_point(const support::PosixPath& path) = 0;

  // The volume that the path lies on, links followed. FAILED_PRECONDITION: the path is on no
  // volume (a filesystem in memory or on the network).
  virtual Result<std::string> closest_id(const support::PosixPath& path) = 0;
};

}  // namespace longshore::volume
