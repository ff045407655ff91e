// The partition table of a disk, as IOCTL_DISK_GET_DRIVE_LAYOUT_EX tells it and
// IOCTL_DISK_SET_DRIVE_LAYOUT_EX takes it.
//
// What counts as a partition is decided here, in code: csi-proxy's queries took Microsoft's
// reserved partition for one, and on disks with an MBR misjudged all. Entries are kept as they
// came, so that what is written back differs only where it is meant to.
//
// Threads: a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/windows/disk_structures.h"

namespace longshore::support {

class DriveLayout {
 public:
  using Style = PartitionStyle;

  static constexpr uint64_t kAlignment = 1 << 20;
  static constexpr uint64_t kReservedBytes = 16 << 20;  // Microsoft's reserved partition

  // Nothing if the answer is not whole, or has a style or a place that cannot be.
  static std::optional<DriveLayout> parse(std::string_view answer);

  Style style() const { return style_; }

  // All that anybody could call one, but for Microsoft's reserved partition: those of other
  // systems, of the firmware and of an MBR too. In the order of their places.
  std::vector<PartitionEntry> partitions() const;
  const PartitionEntry* partition_at(uint64_t offset) const;
  // By the GUID of a GPT's partition.
  const PartitionEntry* partition_of(const Guid& id) const;

  // The bytes that the partition at `offset` can have at its place, up to the next one or the end
  // of what the table may use, in whole MiB; no less than it has. Nothing if there is no such
  // partition, or if it lies within another one, as an MBR's logical drives do.
  std::optional<uint64_t> largest_length(uint64_t offset, uint64_t disk_bytes) const;

  // With one more, over the largest free stretch, aligned to MiB: on a GPT basic data that gets no
  // drive letter, after a reserved partition if there was none; on an MBR what NTFS has there. The
  // two ids are new. Nothing if there is no room.
  std::optional<DriveLayout> with_data_partition(uint64_t disk_bytes, const Guid& reserved_id,
                                                 const Guid& data_id) const;

  // The request.
  std::string bytes() const;

  // What tells one disk from another: the GUID of a GPT, the signature of an MBR; "" of none.
  std::string identifier() const;

 private:
  struct Gap {
    uint64_t start = 0;
    uint64_t end = 0;
    uint64_t size() const { return end - start; }
  };

  DriveLayout() = default;
  // What partitions may lie in.
  Gap usable(uint64_t disk_bytes) const;
  std::optional<Gap> largest_free(uint64_t disk_bytes) const;
  bool has_reserved() const;

  Style style_ = Style::kRaw;
  DriveLayoutHead head_{};
  std::vector<PartitionEntry> entries_;
};

// Whether it is Microsoft's reserved partition.
bool is_reserved(const PartitionEntry& entry);

// Whether it holds data of Windows', which become a volume: basic data of a GPT, NTFS or FAT of an
// MBR.
bool is_data(const PartitionEntry& entry);

// The request that makes an empty GPT: CREATE_DISK.
std::string create_gpt(const Guid& disk_id);

}  // namespace longshore::support
