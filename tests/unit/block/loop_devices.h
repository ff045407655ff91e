// The block layer on a test's own loop disk.
#pragma once

#include <fcntl.h>

#include <catch2/catch.hpp>
#include <vector>

#include "support/linux/block/block_devices.h"
#include "support/linux/block/device_content.h"
#include "support/linux/block/opened_disk.h"
#include "tests/support/byte_units.h"
#include "tests/support/disk_content.h"
#include "tests/support/loop_disk.h"

namespace longshore::block {

using test::kMebibyte;

constexpr uint64_t kDiskBytes = 64 * kMebibyte;

inline BlockDevices devices_of(const test::LoopDisk& disk) {
  return BlockDevices(*DiskNames::from({disk.name()}));
}

inline Disk look_up(const test::LoopDisk& disk) {
  const Result<Disk> found = devices_of(disk).disk(disk.number(), "test");
  REQUIRE(found);
  return *found;
}

inline FileDescriptor open_whole(const test::LoopDisk& disk, int flags) {
  Result<FileDescriptor> opened = open_disk(look_up(disk), flags, "test");
  REQUIRE(opened);
  return *std::move(opened);
}

inline std::vector<TablePartition> table_of(const test::LoopDisk& disk) {
  const auto partitions = read_partitions(open_whole(disk, O_RDONLY), disk.node());
  REQUIRE(partitions);
  return *partitions;
}

}  // namespace longshore::block
