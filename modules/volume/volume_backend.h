// What the volume group needs of the operating system.
//
// A volume is a partition, or a whole disk that carries a filesystem and no table. It is known by
// an id that outlives restarts of the node, but for ids that have to tell by the disk's number: of
// copies, and of partitions without a uuid. An id that names no volume is NOT_FOUND, one that names
// several FAILED_PRECONDITION with the ids that tell them apart, and so is one of what is there and
// used by another device (dm, md), or ambiguous. While a disk cannot be read, or
// does not answer, an id that no other disk has is UNAVAILABLE; others do not wait for it. Volumes
// of a disk that was taken offline are not served: FAILED_PRECONDITION, but for unmount(), flush()
// and disk_number_of(), which drivers call at the end. They are no copies of what other disks hold.
// Errors name the operation, the volume and what the system answered.
//
// Threads: any number at once. VolumeService lets no two mutations of one volume, nor two at one
// target, meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/path.h"
#include "support/warning_log.h"

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

  // What a call would hang on, should it hang: for a path the server, disk or filesystem behind it,
  // for a volume or a disk the disk, by the same name whichever of the three was asked for. As far
  // as that is known: "" is nothing but the path, id or number itself. Nothing hangs here; for an
  // id that was not heard of before the disks are read, as long as they answer.
  virtual std::string bulkhead_of(const support::Path& path) = 0;
  virtual std::string bulkhead_of_disk(uint32_t /*number*/) { return {}; }
  virtual std::string bulkhead_of_volume(const std::string& /*id*/) { return {}; }

  // The ids of the volumes on a disk, or of one partition's (numbered from 1; 0 means all), in the
  // order of the partitions. Each can be used: what the system still has to make for it is waited
  // for. None only for a disk, or a number, without a partition. For drivers take the first after
  // PartitionDisk without a look whether there is one, and end where there is none. NOT_FOUND:
  // there is no such disk. FAILED_PRECONDITION: its partitions are no volumes, it or the partition
  // is a part of another device, or it was taken offline. UNAVAILABLE: the disk cannot be read for
  // the moment.
  virtual Result<std::vector<std::string>> list(uint32_t disk_number, uint32_t partition_number,
                                                const Deadline& deadline) = 0;

  // Whether it holds a filesystem, or anything else that formatting would destroy. What an mkfs
  // that was cut short has left is nothing of that kind.
  virtual Result<bool> is_formatted(const std::string& id) = 0;

  // Makes the configured filesystem. A volume that was formatted here and never mounted since is
  // left as it is: success. FAILED_PRECONDITION: it holds something already, is mounted, read-only,
  // or the system needs its disk; on Linux also that the kernel does not mount what mkfs has made,
  // which is then taken away.
  virtual Result<void> format(const std::string& id, const Deadline& deadline) = 0;

  // Mounts it on an existing empty directory within the allowed roots. The same volume mounted
  // there already is success. FAILED_PRECONDITION: the target is no empty directory, or a link, or
  // something else is mounted there; the volume holds no filesystem, or one of a type that is not
  // allowed; its disk is read-only and such disks are not mounted for reading, or it was not
  // unmounted properly and its journal cannot be replayed there (if it is mounted without,
  // `warnings` says so). NOT_FOUND also: there is no target.
  virtual Result<void> mount(const std::string& id, const support::Path& target,
                             const Deadline& deadline, const support::WarningLog& warnings) = 0;

  // Writes what is unwritten, as far as that is possible, and unmounts. Nothing mounted there is
  // success. Where the disk is gone, or does not tell of it any more, what id_of_mount_point()
  // answers means what is mounted there, and its volume's id as long as that is known (on Windows
  // any id); `warnings` says that what was not written is lost. FAILED_PRECONDITION: another volume
  // is mounted there, or nobody can say which; somebody uses it (but on Windows, where who has a
  // file open keeps it), or the target is a link.
  virtual Result<void> unmount(const std::string& id, const support::Path& target,
                               const Deadline& deadline, const support::WarningLog& warnings) = 0;

  // Writes what is unwritten. An id that no disk has is success, with a warning, as long as
  // something is mounted from a disk that is gone: that may be what the id means, and what was not
  // written to it never can be. Otherwise it is NOT_FOUND, as in every other call: then nothing of
  // it can be unwritten here, and who mistook the id must not be told that data are safe.
  virtual Result<void> flush(const std::string& id, const support::WarningLog& warnings) = 0;

  // Grows the partition and the filesystem to `size` bytes; 0 is as far as they go. A volume that
  // is as large already is left as it is: success. OUT_OF_RANGE: the disk has not got so much.
  // FAILED_PRECONDITION: it holds no filesystem, or, on Linux, one that the kernel does not mount:
  // then its partition stays as it is.
  virtual Result<void> resize(const std::string& id, uint64_t size, const Deadline& deadline) = 0;

  virtual Result<VolumeStats> stats(const std::string& id) = 0;

  // The disk that the volume is on; of a volume on several disks the first. Of an id that
  // id_of_mount_point() answered for a mount whose disk is gone a number that no disk has (0, and
  // on Windows, where that is one, the last of all): AWS EBS asks before it unmounts, and would
  // never unmount after an error.
  virtual Result<uint32_t> disk_number_of(const std::string& id) = 0;

  // The volume that is mounted at the path, which may be a link to the mount point, or lead to it
  // over several. Of a mount whose disk is gone the id names no volume and is good for unmount()
  // and flush(), so that who asks for it before can let the mount go. FAILED_PRECONDITION: no
  // volume is mounted there. NOT_FOUND: there is no such path, or a link leads nowhere. The words
  // of both matter: see unmounted_path.h.
  virtual Result<std::string> id_of_mount_point(const support::Path& path,
                                                const Deadline& deadline) = 0;

  // The volume that the path lies on, links followed. FAILED_PRECONDITION: the path is on no
  // volume (a filesystem in memory or on the network).
  virtual Result<std::string> closest_id(const support::Path& path, const Deadline& deadline) = 0;
};

}  // namespace longshore::volume
