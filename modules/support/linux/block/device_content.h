// What a range of a disk holds, by its own bytes: libblkid's low-level probing, which reads only
// and keeps no cache.
//
// A partition is read through its disk, at its place in the table: its own device node need not
// exist (a kernel may not know the kind of table) and may be older than the table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"

namespace longshore::block {

// A partition as the table has it. In sectors of 512 bytes.
struct TablePartition {
  uint32_t number = 0;  // from 1; logical ones of an MBR from 5
  uint64_t start = 0;
  uint64_t sectors = 0;
  std::string uuid = {};  // the PARTUUID in lower case; "" for an MBR without a signature
  // Microsoft's reserved partition: never a volume and no reason to leave a disk as it is.
  bool is_reserved = false;
  // No volume, and a partition that counts: the container of an MBR's logical partitions, and what
  // boot loaders and ZFS keep for themselves without any signature, by its type.
  bool is_private = false;
  // The number of the partition that this one lies in: an MBR's container of logical ones, or what
  // has a table of its own. 0: in none.
  uint32_t container = 0;

  bool operator==(const TablePartition&) const = default;
};

enum class ContentKind {
  kNothing,
  kFilesystem,
  kPartitionTable,
  kMember,  // of LVM, md, LUKS, a cache: something else is made of it
  kSwap,
  kAmbiguous,  // several contradict each other
  kLostTable   // a GPT without the first sector, which says that it is there
};

// Something that a range looks like by a few of its bytes.
struct Signature {
  ContentKind kind = ContentKind::kNothing;
  std::string type;
  std::string uuid = {}, device_uuid = {};  // as in Content
  uint64_t place = 0;                       // of those bytes, from the start of the range
  bool has_wrong_checksum = false;

  bool operator==(const Signature&) const = default;
};

struct Content {
  ContentKind kind = ContentKind::kNothing;
  std::string type;  // "ext4", "gpt", "LVM2_member"; "" for the last two and kNothing
  std::string uuid;  // of a filesystem; "" if it has none
  // Of one device of a filesystem that may be on several (btrfs); "" for all others.
  std::string device_uuid;
  // Of a table, by number.
  std::vector<TablePartition> partitions;
  // All that it looks like, in the order of the places: of kAmbiguous, kMember, kSwap, and of
  // unusual filesystems, as libblkid does not always look further.
  std::vector<Signature> signatures;
};

// In bytes from the disk's start.
struct ByteRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};
inline ByteRange whole(const Disk& disk) { return {0, disk.size_in_bytes()}; }
inline ByteRange stretch_of(const TablePartition& partition) {
  return {partition.start * kSectorBytes, partition.sectors * kSectorBytes};
}

// What a content that is not kNothing holds, for errors: "ext4", or where there are several things
// "xfs at byte 0 and iso9660 at byte 32769".
std::string describe(const Content& content);

// What the range of the opened disk holds. `object` names it in errors.
Result<Content> read_content(const FileDescriptor& disk, const ByteRange& range,
                             const std::string& object);

// The partitions of the table on the opened disk, by number; none if there is no table. Cheaper
// than read_content: nothing but tables is looked for.
Result<std::vector<TablePartition>> read_partitions(const FileDescriptor& disk,
                                                    const std::string& object);

// Removes every signature that libblkid knows from the opened device (a disk's or a partition's own
// node), so that nothing mistakes what is written next for what was there, and flushes.
Result<void> wipe_signatures(const FileDescriptor& device, const std::string& object);

}  // namespace longshore::block
