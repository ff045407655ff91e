// Any bytes as the partition table that Windows tells of a disk, and what is planned on it: a new
// partition lies within the disk and on nothing else, and one that may grow grows into nothing.
//
// The first eight bytes are the disk's size.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "support/windows/disk_answers.h"
#include "support/windows/drive_layout.h"
#include "support/windows/guid_text.h"

namespace longshore::support {
namespace {

constexpr Guid kReservedId = {1, 0, 0, {}};
constexpr Guid kDataId = {2, 0, 0, {}};

void require(bool condition) {
  if (!condition) std::abort();
}

uint64_t behind(const PartitionEntry& entry) { return entry.offset + entry.length; }

bool overlap(const PartitionEntry& one, const PartitionEntry& other) {
  return one.offset < behind(other) && other.offset < behind(one);
}

void plan(const DriveLayout& table, uint64_t disk_bytes) {
  const auto planned = table.with_data_partition(disk_bytes, kReservedId, kDataId);
  if (!planned) return;
  const auto before = table.partitions();
  const auto after = planned->partitions();
  require(after.size() == before.size() + 1);
  const std::string bytes = planned->bytes();
  const auto written = DriveLayout::parse(bytes);
  require(written && written->bytes() == bytes);
  // The new one is where nothing was: of an MBR it has no name by which it is found.
  size_t found = 0;
  for (const PartitionEntry& entry : after) {
    const bool is_old = std::ranges::any_of(
        before, [&](const auto& old) { return bytes_of(old) == bytes_of(entry); });
    if (is_old) continue;
    ++found;
    require(is_data(entry) && behind(entry) <= disk_bytes);
    require(entry.offset % DriveLayout::kAlignment == 0);
    require(entry.length % DriveLayout::kAlignment == 0 && entry.length > 0);
    for (const PartitionEntry& old : before) require(!overlap(old, entry));
  }
  require(found == 1);
}

void grow(const DriveLayout& table, uint64_t disk_bytes) {
  for (const PartitionEntry& entry : table.partitions()) {
    const auto largest = table.largest_length(entry.offset, disk_bytes);
    const auto* partition = table.partition_at(entry.offset);
    if (!largest) continue;
    require(partition != nullptr && *largest >= partition->length);
    if (*largest == partition->length) continue;
    require(partition->offset + *largest <= disk_bytes);
    PartitionEntry grown = *partition;
    grown.length = *largest;
    for (const PartitionEntry& other : table.partitions()) {
      require(other.offset <= partition->offset || !overlap(grown, other));
    }
  }
}

}  // namespace
}  // namespace longshore::support

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace longshore::support;
  uint64_t disk_bytes = 0;
  if (size < sizeof(disk_bytes)) return 0;
  std::memcpy(&disk_bytes, data, sizeof(disk_bytes));
  const auto table = DriveLayout::parse(
      {reinterpret_cast<const char*>(data) + sizeof(disk_bytes), size - sizeof(disk_bytes)});
  if (!table) return 0;
  // A disk's size comes of length_in() or size_of_geometry().
  disk_bytes &= INT64_MAX;
  plan(*table, disk_bytes);
  grow(*table, disk_bytes);
  const std::string identifier = table->identifier();
  if (table->style() == DriveLayout::Style::kGpt && !identifier.empty()) {
    require(parse_guid(identifier).has_value());
  }
  return 0;
}
