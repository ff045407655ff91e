#include "support/linux/block/partition_limit.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <optional>

namespace longshore::block {
namespace {

constexpr size_t kTableBytes = 512;
constexpr size_t kFirstEntry = 446;
constexpr size_t kEntryBytes = 16;
constexpr size_t kMbrEntries = 4;

struct MbrEntry {
  uint8_t type = 0;
  uint64_t start = 0;  // in the disk's sectors
  uint64_t sectors = 0;

  // 05, 0F and Linux' own 85.
  bool is_container() const {
    return sectors > 0 && (type == 0x05 || type == 0x0f || type == 0x85);
  }
};
using MbrTable = std::array<MbrEntry, kMbrEntries>;

uint32_t number_at(const uint8_t* bytes) {
  return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 |
         uint32_t{bytes[3]} << 24;
}

// Nothing: there is none, or it cannot be read, which others will say.
std::optional<MbrTable> table_at(const FileDescriptor& disk, uint64_t offset) {
  std::array<uint8_t, kTableBytes> bytes{};
  const ssize_t size = ::pread(disk.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (size != static_cast<ssize_t>(bytes.size()) || bytes[510] != 0x55 || bytes[511] != 0xaa) {
    return std::nullopt;
  }
  MbrTable table;
  for (size_t i = 0; i < kMbrEntries; ++i) {
    const uint8_t* entry = &bytes[kFirstEntry + i * kEntryBytes];
    table[i] = {entry[4], number_at(entry + 8), number_at(entry + 12)};
  }
  return table;
}

uint64_t sector_size_of(const FileDescriptor& disk) {
  int size = 0;
  return ::ioctl(disk.get(), BLKSSZGET, &size) == 0 && size > 0 ? static_cast<uint64_t>(size)
                                                                : kTableBytes;
}

// How many tables stand in the chain of a container, each for one logical partition; at the most
// one more than the limit.
size_t chain_length(const FileDescriptor& disk, uint64_t offset, uint64_t container,
                    uint64_t sector) {
  uint64_t place = container;
  for (size_t length = 0; length <= kMostPartitions; ++length) {
    const std::optional<MbrTable> table = table_at(disk, offset + place * sector);
    if (!table) return length;
    bool goes_on = false;
    for (const MbrEntry& entry : *table) {
      if (!entry.is_container()) continue;
      place = container + entry.start;
      goes_on = true;
      break;
    }
    if (!goes_on) return length + 1;
  }
  return kMostPartitions + 1;
}

}  // namespace

Result<void> check_logical_partitions(const FileDescriptor& disk, uint64_t offset,
                                      const std::string& object) {
  const std::optional<MbrTable> table = table_at(disk, offset);
  if (!table) return {};
  const uint64_t sector = sector_size_of(disk);
  size_t logical = 0;
  for (const MbrEntry& entry : *table) {
    if (entry.is_container()) logical += chain_length(disk, offset, entry.start, sector);
  }
  return logical > kMostPartitions ? too_many_partitions(object) : Result<void>();
}

Error too_many_partitions(const std::string& object) {
  return Error(StatusCode::kFailedPrecondition, "read the partition table of", object)
      .because("it has more than " + std::to_string(kMostPartitions) +
               " partitions, which the kernel does not read either, or its logical ones go in a "
               "circle")
      .advise("nothing is read or written there; make the table anew if nobody needs it");
}

}  // namespace longshore::block
