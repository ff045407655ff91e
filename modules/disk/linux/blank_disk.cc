#include "disk/linux/blank_disk.h"

#include <endian.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/linux/block/unknown_data.h"

namespace longshore::disk {

using block::ByteRange;
using block::Content;
using block::ContentKind;
using block::Disk;
using block::first_data_in;
using block::first_end_of;
using block::last_end_of;
using block::read_range;
using block::TablePartition;

namespace {

constexpr const char* kLookAt = "look whether nothing is on";
constexpr uint64_t kEntriesBytes = 16384;  // of a GPT, beside its header's sector
constexpr size_t kEntryBytes = 128;
constexpr std::string_view kHeaderSignature = "EFI PART";
// How an entry begins that PartitionDisk writes: the type "Linux filesystem data".
constexpr std::string_view kLinuxData(
    "\xaf\x3d\xc6\x0f\x83\x84\x72\x47\x8e\x79\x3d\x69\xd8\x47\x7d\xe4", 16);

ByteRange between(uint64_t begin, uint64_t end) { return {begin, end > begin ? end - begin : 0}; }

// Where a GPT has its two copies of itself: at the front the header comes first, at the back last.
struct TablePlaces {
  struct Copy {
    ByteRange header, entries;
  };
  Copy front, back;

  uint64_t front_end() const { return front.entries.offset + front.entries.size; }
};

Result<TablePlaces> table_places(const FileDescriptor& descriptor, const Disk& disk) {
  int bytes = 0;
  if (const std::error_code error =
          error_unless(::ioctl(descriptor.get(), BLKSSZGET, &bytes) == 0)) {
    return Error(StatusCode::kUnknown, kLookAt, disk.node).because(error);
  }
  if (bytes <= 0) {
    return Error(StatusCode::kInternal, kLookAt, disk.node)
        .because("the kernel says that its sectors have " + std::to_string(bytes) + " bytes");
  }
  const auto sector = static_cast<uint64_t>(bytes);
  const uint64_t size = disk.size_in_bytes();
  const uint64_t header = size - std::min(size, sector);
  const uint64_t entries = header - std::min(header, kEntriesBytes);
  return TablePlaces{.front = {{sector, sector}, {2 * sector, kEntriesBytes}},
                     .back = {between(header, size), between(entries, header)}};
}

uint64_t number_at(std::string_view bytes, size_t place) {
  uint64_t number = 0;
  std::memcpy(&number, bytes.data() + place, sizeof(number));
  return le64toh(number);
}

// The only entry, if it is one that PartitionDisk writes.
std::optional<TablePartition> own_entry(std::string_view entries, uint64_t sector) {
  if (!entries.starts_with(kLinuxData) ||
      entries.find_first_not_of('\0', kEntryBytes) != std::string_view::npos) {
    return std::nullopt;
  }
  const uint64_t first = number_at(entries, 32), last = number_at(entries, 40);
  const uint64_t scale = sector / block::kSectorBytes;
  if (first == 0 || last < first || last > UINT64_MAX / sector - 1) return std::nullopt;
  return TablePartition{.number = 1, .start = first * scale, .sectors = (last - first + 1) * scale};
}

// All that must be zero.
std::vector<ByteRange> ends_of(const Disk& disk, const Content& content, const TablePlaces& table) {
  const ByteRange first = first_end_of(whole(disk));
  const ByteRange last = last_end_of(whole(disk));
  std::vector<ByteRange> ends{between(last.offset, table.back.entries.offset),
                              between(0, table.front.header.offset),
                              between(table.front_end(), first.size)};
  for (const TablePartition& left : content.partitions) {
    ends.push_back(first_end_of(block::stretch_of(left)));
    ends.push_back(last_end_of(block::stretch_of(left)));
  }
  return ends;
}

Error not_blank(const Disk& disk, uint64_t place) {
  return Error(StatusCode::kFailedPrecondition, "partition", disk.node)
      .because("it holds something of no known kind, at byte " + std::to_string(place))
      .advise(
          "if that is not needed, write zeros over the disk's first and last MiB, or set "
          "overwrite_unknown_data = true of the module disk");
}

Result<void> check_zero(const FileDescriptor& descriptor, const Disk& disk,
                        const std::vector<ByteRange>& ranges) {
  for (const ByteRange& range : ranges) {
    const auto data = first_data_in(descriptor, range, disk.node);
    if (!data) return data.error();
    if (*data) return not_blank(disk, **data);
  }
  return {};
}

// A copy of a table that nobody takes for one, because its header is missing or does not fit its
// entries, may be what calls left that were cut short: the first one wrote a copy, the next one was
// to write it anew. There is nothing in the partition of such a copy.
Result<void> check_remains(const FileDescriptor& descriptor, const Disk& disk,
                           const TablePlaces::Copy& copy) {
  const Result<std::string> header = read_range(descriptor, copy.header, disk.node);
  if (!header) return header.error();
  const Result<std::string> entries = read_range(descriptor, copy.entries, disk.node);
  if (!entries) return entries.error();
  const size_t in_header = header->find_first_not_of('\0');
  if (in_header != std::string::npos && !header->starts_with(kHeaderSignature)) {
    return not_blank(disk, copy.header.offset + in_header);
  }
  const size_t in_entries = entries->find_first_not_of('\0');
  if (in_entries == std::string::npos) return {};
  const auto partition = own_entry(*entries, copy.header.size);
  if (!partition) return not_blank(disk, copy.entries.offset + in_entries);
  const ByteRange stretch = block::stretch_of(*partition);
  const Result<Content> held = block::read_content(descriptor, stretch, disk.node);
  if (!held) return held.error();
  if (held->kind != ContentKind::kNothing) return not_blank(disk, stretch.offset);
  return check_zero(descriptor, disk, {first_end_of(stretch), last_end_of(stretch)});
}

}  // namespace

Result<bool> holds_nothing_known(const FileDescriptor& descriptor, const Disk& disk,
                                 const Content& content) {
  if (content.kind != ContentKind::kLostTable) return content.kind == ContentKind::kNothing;
  if (content.partitions.empty()) return true;
  const TablePartition& added = content.partitions.front();
  if (content.partitions.size() > 1 || added.number != 1 || added.is_private) return false;
  const Result<Content> held = block::read_content(descriptor, block::stretch_of(added), disk.node);
  if (!held) return held.error();
  return held->kind == ContentKind::kNothing;
}

Result<void> check_zero_at_ends(const FileDescriptor& descriptor, const Disk& disk,
                                const Content& content) {
  const Result<TablePlaces> table = table_places(descriptor, disk);
  if (!table) return table.error();
  auto zero = check_zero(descriptor, disk, ends_of(disk, content, *table));
  if (!zero || content.kind == ContentKind::kLostTable) return zero;
  for (const TablePlaces::Copy& copy : {table->front, table->back}) {
    if (auto remains = check_remains(descriptor, disk, copy); !remains) return remains;
  }
  return {};
}

}  // namespace longshore::disk
