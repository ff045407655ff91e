// Puts partition tables and bytes on a test's own disks, without a program that does so: libfdisk,
// whose scripts are sfdisk's, and the disk's node.
//
// Nothing here tells the kernel of partitions: its idea of the disk stays as it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/loop_disk.h"

namespace longshore::test {

// Writes the table that the script describes ("label: gpt\nsize=8MiB\n"), and flushes. Sectors are
// the disk's own. Throws std::runtime_error when libfdisk refuses.
void write_table(const LoopDisk& disk, const std::string& script);

// From the start of the disk, or of any other block device. Written bytes are flushed.
std::string read_bytes(const std::string& node, uint64_t offset, size_t size);
void write_bytes(const std::string& node, uint64_t offset, std::string_view bytes);

// What the kernel keeps of a device is read from the disk again, but for what a mount holds.
void forget_cached(const std::string& node);

// Makes `to`, which is blank and as large, equal to `from`, whose content was flushed.
void clone(const LoopDisk& from, const LoopDisk& to);

// Inverts the byte there: whatever checksum is over it is wrong from now on.
void damage(const LoopDisk& disk, uint64_t offset);

// While it lives the kernel lets nobody write to the disk, as to a write-protected one. Without its
// end the device would keep that beyond the disk.
class WriteProtection {
 public:
  explicit WriteProtection(const LoopDisk& disk);
  WriteProtection(const WriteProtection&) = delete;
  WriteProtection& operator=(const WriteProtection&) = delete;
  ~WriteProtection();

 private:
  const LoopDisk& disk_;
};

}  // namespace longshore::test
