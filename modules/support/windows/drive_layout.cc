#include "support/windows/drive_layout.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "support/windows/disk_answers.h"
#include "support/windows/guid_text.h"

namespace longshore::support {
namespace {

constexpr Guid kReserved = {
    0xe3c9e316, 0x0b5c, 0x4db8, {0x81, 0x7d, 0xf9, 0x2d, 0xf0, 0x02, 0x15, 0xae}};
constexpr Guid kBasicData = {
    0xebd0a0a2, 0xb9e5, 0x4433, {0x87, 0xc0, 0x68, 0xb6, 0xb7, 0x26, 0x99, 0xc7}};
constexpr uint64_t kNoDriveLetter = uint64_t{1} << 63;
constexpr uint32_t kMostGptPartitions = 128;
constexpr size_t kMbrEntries = 4;
constexpr uint64_t kMostMbrBytes = uint64_t{2} << 40;  // 32 bits of sectors

uint64_t end_of(const PartitionEntry& entry) { return entry.offset + entry.length; }

bool is_gpt(const PartitionEntry& entry) { return entry.style == PartitionStyle::kGpt; }

bool is_used(const PartitionEntry& entry) {
  if (entry.length == 0) return false;
  if (is_gpt(entry)) return entry.gpt.type != Guid{};
  return entry.mbr.type != kUnusedMbrType;
}

// What other partitions of an MBR lie in.
bool is_container(const PartitionEntry& entry) {
  return !is_gpt(entry) &&
         (entry.mbr.type == kExtendedMbrType || entry.mbr.type == kExtendedLbaMbrType);
}

bool is_possible(const PartitionEntry& entry) {
  return entry.style <= PartitionStyle::kRaw && entry.length <= INT64_MAX &&
         entry.offset <= INT64_MAX - entry.length;
}

uint64_t aligned_up(uint64_t place) {
  return (place + DriveLayout::kAlignment - 1) / DriveLayout::kAlignment * DriveLayout::kAlignment;
}
uint64_t aligned_down(uint64_t place) {
  return place / DriveLayout::kAlignment * DriveLayout::kAlignment;
}

PartitionEntry entry_at(uint64_t start, uint64_t end) {
  PartitionEntry entry{};
  entry.offset = start;
  entry.length = end - start;
  entry.is_rewritten = 1;
  return entry;
}

PartitionEntry gpt_entry(uint64_t start, uint64_t end, const Guid& type, const Guid& id,
                         std::u16string_view name) {
  PartitionEntry entry = entry_at(start, end);
  entry.style = PartitionStyle::kGpt;
  entry.gpt.type = type;
  entry.gpt.id = id;
  name.copy(entry.gpt.name, std::size(entry.gpt.name) - 1);
  return entry;
}

}  // namespace

bool is_reserved(const PartitionEntry& entry) {
  return is_gpt(entry) && entry.gpt.type == kReserved;
}

bool is_data(const PartitionEntry& entry) {
  if (!is_used(entry)) return false;
  if (is_gpt(entry)) return entry.gpt.type == kBasicData;
  constexpr uint8_t kTypes[] = {kFat12MbrType, kFat16MbrType,    kLargeFat16MbrType, kNtfsMbrType,
                                kFat32MbrType, kFat32LbaMbrType, kFat16LbaMbrType};
  return std::ranges::find(kTypes, entry.mbr.type) != std::end(kTypes);
}

std::string create_gpt(const Guid& disk_id) {
  return bytes_of(CreateGptDisk{PartitionStyle::kGpt, disk_id, kMostGptPartitions});
}

std::optional<DriveLayout> DriveLayout::parse(std::string_view answer) {
  DriveLayout layout;
  const auto style = structure_at<PartitionStyle>(answer);
  const auto count = structure_at<uint32_t>(answer, sizeof(PartitionStyle));
  if (!style || !count) return std::nullopt;
  if (*style > PartitionStyle::kRaw) return std::nullopt;
  layout.style_ = *style;
  if (layout.style_ == Style::kRaw) return layout;  // what else it says, nobody has written
  const auto head = structure_at<DriveLayoutHead>(answer);
  if (!head) return std::nullopt;
  layout.head_ = *head;
  const std::string_view rest = answer.substr(sizeof(DriveLayoutHead));
  if (*count > rest.size() / sizeof(PartitionEntry)) return std::nullopt;
  for (size_t index = 0; index < *count; ++index) {
    const auto entry = structure_at<PartitionEntry>(rest, index * sizeof(PartitionEntry));
    if (!is_possible(*entry)) return std::nullopt;
    layout.entries_.push_back(*entry);
  }
  if (layout.style_ == Style::kGpt &&
      (layout.head_.gpt.usable_offset > INT64_MAX || layout.head_.gpt.usable_length > INT64_MAX)) {
    return std::nullopt;
  }
  return layout;
}

std::vector<PartitionEntry> DriveLayout::partitions() const {
  std::vector<PartitionEntry> found;
  std::ranges::copy_if(entries_, std::back_inserter(found),
                       [](const auto& entry) { return is_used(entry) && !is_reserved(entry); });
  std::ranges::stable_sort(found, {}, &PartitionEntry::offset);
  return found;
}

const PartitionEntry* DriveLayout::partition_at(uint64_t offset) const {
  const auto found = std::ranges::find_if(entries_, [&](const auto& entry) {
    return is_used(entry) && !is_container(entry) && entry.offset == offset;
  });
  return found == entries_.end() ? nullptr : &*found;
}

const PartitionEntry* DriveLayout::partition_of(const Guid& id) const {
  const auto found = std::ranges::find_if(entries_, [&](const auto& entry) {
    return is_used(entry) && is_gpt(entry) && entry.gpt.id == id;
  });
  return found == entries_.end() ? nullptr : &*found;
}

bool DriveLayout::has_reserved() const { return std::ranges::any_of(entries_, is_reserved); }

DriveLayout::Gap DriveLayout::usable(uint64_t disk_bytes) const {
  if (style_ == Style::kMbr) {
    const uint64_t end = aligned_down(std::min(disk_bytes, kMostMbrBytes));
    return {std::min(kAlignment, end), end};
  }
  const uint64_t start = head_.gpt.usable_offset;
  const uint64_t end = aligned_down(std::min(start + head_.gpt.usable_length, disk_bytes));
  return {std::min(aligned_up(start), end), end};
}

std::optional<uint64_t> DriveLayout::largest_length(uint64_t offset, uint64_t disk_bytes) const {
  const PartitionEntry* partition = partition_at(offset);
  if (partition == nullptr) return std::nullopt;
  uint64_t end = usable(disk_bytes).end;
  for (const PartitionEntry& other : entries_) {
    if (&other == partition || !is_used(other)) continue;
    const bool is_within = other.offset <= offset && offset < end_of(other);
    if (is_within) return std::nullopt;
    if (other.offset > offset) end = std::min(end, aligned_down(other.offset));
  }
  return std::max(partition->length, end - std::min(end, offset));
}

std::optional<DriveLayout::Gap> DriveLayout::largest_free(uint64_t disk_bytes) const {
  std::vector<PartitionEntry> used;
  std::ranges::copy_if(entries_, std::back_inserter(used), is_used);
  std::ranges::sort(used, {}, &PartitionEntry::offset);
  const Gap all = usable(disk_bytes);
  Gap largest;
  uint64_t free = all.start;
  const auto consider = [&](uint64_t end) {
    const Gap gap{free, std::max(free, std::min(aligned_down(end), all.end))};
    if (gap.size() > largest.size()) largest = gap;
  };
  for (const PartitionEntry& entry : used) {
    consider(entry.offset);
    free = std::max(free, aligned_up(end_of(entry)));
  }
  consider(all.end);
  if (largest.size() < kAlignment) return std::nullopt;
  return largest;
}

std::optional<DriveLayout> DriveLayout::with_data_partition(uint64_t disk_bytes,
                                                            const Guid& reserved_id,
                                                            const Guid& data_id) const {
  if (style_ == Style::kRaw) return std::nullopt;
  std::optional<Gap> room = largest_free(disk_bytes);
  if (!room) return std::nullopt;
  DriveLayout layout = *this;
  if (style_ == Style::kMbr) {
    PartitionEntry entry = entry_at(room->start, room->end);
    entry.style = PartitionStyle::kMbr;
    entry.mbr.type = kNtfsMbrType;
    entry.mbr.is_recognized = 1;
    // A table of an MBR has so many entries, used or not; a longer list is of logical drives.
    std::erase_if(layout.entries_, [](const auto& each) { return !is_used(each); });
    if (layout.entries_.size() >= kMbrEntries) return std::nullopt;
    layout.entries_.push_back(entry);
    PartitionEntry unused{};
    unused.is_rewritten = 1;
    layout.entries_.resize(kMbrEntries, unused);
    return layout;
  }
  if (!has_reserved()) {
    if (room->size() < kReservedBytes + kAlignment) return std::nullopt;
    layout.entries_.push_back(gpt_entry(room->start, room->start + kReservedBytes, kReserved,
                                        reserved_id, u"Microsoft reserved partition"));
    room->start += kReservedBytes;
  }
  PartitionEntry data =
      gpt_entry(room->start, room->end, kBasicData, data_id, u"Basic data partition");
  data.gpt.attributes = kNoDriveLetter;
  layout.entries_.push_back(data);
  return layout;
}

std::string DriveLayout::bytes() const {
  DriveLayoutHead head = head_;
  head.style = style_;
  head.count = static_cast<uint32_t>(entries_.size());
  std::string bytes = bytes_of(head);
  for (const PartitionEntry& entry : entries_) bytes += bytes_of(entry);
  return bytes;
}

std::string DriveLayout::identifier() const {
  if (style_ == Style::kGpt && head_.gpt.disk_id != Guid{}) return guid_text(head_.gpt.disk_id);
  if (style_ == Style::kMbr && head_.mbr.signature != 0) {
    return "signature " + std::to_string(head_.mbr.signature);
  }
  return {};
}

}  // namespace longshore::support
