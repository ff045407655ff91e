// Refuses tables with more partitions than anybody has.
//
// The kernel reads 256 of a disk. Who may write to a disk can make a chain of logical partitions of
// any length on it, even a circle; libblkid and libfdisk follow it to its end, and take the square
// of its length. All calls for volumes wait for that, also those for other disks. So the chain is
// gone along here before, as far as the limit.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::block {

constexpr size_t kMostPartitions = 256;  // as the kernel's DISK_MAX_PARTS

// FAILED_PRECONDITION: what begins at this byte of the opened disk is an MBR with more logical
// partitions. Everything else is well here. `object` names it in errors.
Result<void> check_logical_partitions(const FileDescriptor& disk, uint64_t offset,
                                      const std::string& object);

// The error of a table that has more.
Error too_many_partitions(const std::string& object);

}  // namespace longshore::block
