// Reads and changes a disk's partition table: libfdisk, without its dialogs.
//
// Changes are made in memory and written as a whole by write(), which flushes the disk. The kernel
// is told apart from that (partition_nodes.h).
//
// Owner: one thread; the caller holds the disk's lock (opened_disk.h) while it changes a table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/block_devices.h"

struct fdisk_context;

namespace longshore::block {

class PartitionTable {
 public:
  // The table on the opened disk, or none yet. The descriptor outlives this; for write() it is open
  // for writing. FAILED_PRECONDITION: libfdisk cannot read the disk.
  static Result<PartitionTable> open(const Disk& disk, const FileDescriptor& opened);

  // A new GPT. Only for a disk that holds nothing.
  Result<void> create();

  // A partition for Linux data over the largest free range, in steps of 1 MiB.
  // FAILED_PRECONDITION: no MiB is free, or the table is full.
  Result<void> add_largest();

  // How many bytes the partition can have at its place: up to the next one (of an MBR's logical
  // partitions, up to the next one's own table) or the end of the disk or of its container, in
  // whole MiB. At least what it has.
  Result<uint64_t> largest_size(uint32_t number) const;

  // Moves the end of the partition outwards, of which nothing else changes, nor of the others: that
  // is checked before this returns. `bytes` is rounded down to the disk's sectors.
  Result<void> set_size(uint32_t number, uint64_t bytes);

  // Writes the table and its copy, and flushes.
  Result<void> write();

 private:
  struct Release {
    void operator()(fdisk_context* context) const;
  };

  PartitionTable(std::string object, fdisk_context* context)
      : object_(std::move(object)), context_(context) {}

  Error failed(const char* operation, int error) const;
  std::string describe_others(uint32_t number) const;

  std::string object_;
  std::unique_ptr<fdisk_context, Release> context_;
};

}  // namespace longshore::block
