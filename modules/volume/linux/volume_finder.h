// Which volumes there are, and what their ids mean.
//
// An id is, in this order, what names the volume for good:
//   PARTUUID=<uuid>        a partition, by its entry in the table
//   UUID=<uuid>            a filesystem on a whole disk, by its superblock
//   DISKSEQ=<n>-<sector>   a partition of an MBR without signature; holds until the node restarts
// Copies of a disk carry the same uuids. Then "@<disk number>" is appended, in every answer; an id
// without it means the copy that is mounted, if exactly one is. What is on a disk that was taken
// offline (block/offline_record.h) is no copy of what is on others, as long as that lasts.
//
// What dm or md is made of is no volume; the device on top of it is. An id that would be one's,
// were it not in use so or were it clear what is on the disk, is FAILED_PRECONDITION and never
// NOT_FOUND, which callers take for "detached". A btrfs on several whole disks is one volume, on
// the disk with the lowest number.
//
// Every call looks anew, and none hangs: disks that do not answer in time are not readable
// (disk_tables.h).
//
// Threads: any number at once. Owner: on destruction it waits for disks that still hang.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"
#include "support/linux/block/device_content.h"
#include "support/linux/block/held_device.h"
#include "support/linux/mount_table.h"
#include "volume/linux/disk_tables.h"
#include "volume/linux/known_volumes.h"
#include "volume/linux/mounted_ids.h"

namespace longshore::volume {

// What to do about a disk that cannot be read.
constexpr const char* kReadUnreadableAgain =
    "try again when it is back, or detach it; SetDiskState brings online what is offline";

struct Volume {
  std::string id;  // in its unique form
  block::Disk disk;
  // The partition; nothing for a whole disk.
  std::optional<block::TablePartition> partition;
  // Whether another volume has the same uuid.
  bool is_copy = false;
  // The nodes of the other disks of a btrfs on several.
  std::vector<std::string> other_nodes = {};
  // The disk of its own that was taken offline. Then it is not served.
  std::optional<uint32_t> offline_disk = std::nullopt;

  block::ByteRange range() const {
    return partition ? block::stretch_of(*partition) : block::whole(disk);
  }
};

// What is mounted somewhere.
struct MountedVolume {
  std::string id;           // its volume's, in its unique form; of what is lost see lost_id()
  std::string id_and_disk;  // its volume's with "@"; "" if it is lost: see lost_volume_of()
  bool is_lost = false;     // its disk does not tell of it any more

  // With or without "@", as only this one can be meant.
  bool is_named(std::string_view asked) const {
    return asked == id || asked == id_and_disk ||
           asked == std::string_view(id_and_disk).substr(0, id_and_disk.rfind('@'));
  }
};

class VolumeFinder {
 public:
  VolumeFinder(const block::BlockDevices& devices, std::chrono::milliseconds patience)
      : devices_(devices), tables_(devices, patience) {}

  // All volumes, by disk and partition. Disks that cannot be read have none.
  Result<std::vector<Volume>> volumes() const;

  // Those of one disk; none if it has no partition. NOT_FOUND, FAILED_PRECONDITION, UNAVAILABLE:
  // see VolumeBackend::list().
  Result<std::vector<Volume>> volumes_on(uint32_t disk_number) const;

  // FAILED_PRECONDITION: the partition is no volume because it is held.
  Result<void> check_partition_not_held(uint32_t disk_number, uint32_t partition_number) const;

  // NOT_FOUND, FAILED_PRECONDITION, UNAVAILABLE: see VolumeBackend. `operation` completes
  // "cannot ...".
  Result<Volume> resolve(std::string_view id, std::string_view operation) const;
  // The same where the volume's disk may be offline.
  Result<Volume> resolve_unserved(std::string_view id, std::string_view operation) const;
  // As before; of several with this id, the one that is mounted, if it is the only one. For what
  // changes nothing: who names a copy by the id that it had alone must not be given its twin to
  // write to.
  Result<Volume> resolve_mounted(std::string_view id, std::string_view operation) const;

  // The disk that calls for the id may hang on: where it was seen last or else, if it is there no
  // more, where it is found. Nothing: on none that can be read.
  std::optional<block::Disk> likely_disk_of(std::string_view id) const;

  // FAILED_PRECONDITION: a disk of the volume was taken offline.
  static Result<void> check_served(const Volume& volume, std::string_view operation);

  // What is mounted from the volume, in the order of the table. Remembers the volume if it is.
  Result<std::vector<support::Mount>> mounts_of(const Volume& volume) const;

  // The id without "@", which copies share.
  static std::string plain_id(const Volume& volume);

  // The id with "@", which holds for this copy alone.
  static std::string id_and_disk(const Volume& volume);

  // Whether the mount is of this volume.
  bool is_mount_of(const support::Mount& mount, const Volume& volume) const;

  // The mounts of lost disks that were served.
  Result<std::vector<support::Mount>> mounts_of_lost_disks() const;

  // What such a mount is called in place of its volume: no volume has this id.
  static std::string lost_id(const support::Mount& mount);

  // The volume that is mounted there, also if it is lost; nothing if it is none that is served.
  Result<std::optional<MountedVolume>> volume_of(const support::Mount& mount) const;

  // Of a mount that is lost, which volume it is: the id with "@"; "": nobody can say. Asks the
  // kernel, which may wait for a disk that does not answer.
  std::string lost_volume_of(const support::Mount& mount) const;

  // For when the disk does not tell any more which volume is mounted.
  void remember_mounted(const Volume& volume) const;

 private:
  // A volume before it is known whether its id is unique.
  struct Candidate {
    Volume volume;            // with the id without "@"
    std::string device_uuid;  // of btrfs, see block::Content
    bool is_apart = false;    // a btrfs that is not joined with others

    bool is_offline() const { return volume.offline_disk.has_value(); }
  };

  struct Candidates {
    std::vector<Candidate> found;
    std::vector<block::Disk> unreadable;  // disks, of which nobody knows what they hold
    std::vector<uint32_t> offline;        // numbers of disks
  };

  Result<Candidates> candidates() const;
  Result<Candidates> candidates_named(std::string_view id) const;
  Result<Volume> only_one(Candidates named, std::string_view id, std::string_view operation) const;
  // Why what is there under an id that no volume has is none; nothing: there is no such thing.
  std::optional<Error> refusal_of(std::string_view id, std::string_view operation) const;
  Result<Volume> remembered(std::string_view id, Result<Volume> volume) const;
  static void set_btrfs_apart(std::vector<Candidate>& candidates);
  static void join_btrfs(std::vector<Candidate>& candidates);
  static void tell_copies(std::vector<Candidate>& candidates);
  static std::vector<Volume> told(std::vector<Candidate> found);
  // Also those that are held.
  static std::vector<Candidate> candidates_on(const block::Disk& disk, const DiskTable& table);
  void add_candidates(const block::Disk& disk, const DiskTable& table,
                      std::vector<Candidate>& found) const;
  // `known`: the partitions of its disk.
  block::HeldDevice holder_of(const Volume& volume,
                              const std::vector<block::KernelPartition>& known) const;
  // Those of a disk that were there when it was looked at.
  Result<std::vector<Volume>> volumes_seen_on(uint32_t disk_number) const;
  // Why a disk has no volume; success: it has no partition either, but perhaps Microsoft's reserve.
  Result<void> check_lacks_partitions(uint32_t disk_number) const;
  dev_t device_of(const Volume& volume) const;
  // Whether the mount is of a disk that is gone, cannot be read, or does not hold any more what was
  // mounted from it.
  bool is_mount_of_lost_disk(const support::Mount& mount) const;
  // Whether what is on the disk still says that there is what is mounted from `device`, the disk
  // itself or a partition.
  bool tells_of(const block::Disk& disk, dev_t device, const support::Mount& mount) const;

  const block::BlockDevices& devices_;
  // Nothing that an answer depends on.
  mutable DiskTables tables_;
  mutable KnownVolumes known_;
  // What an answer depends on where the disks do not tell any more.
  mutable MountedIds mounted_;
};

}  // namespace longshore::volume
