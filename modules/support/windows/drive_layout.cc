#include "support/windows/drive_layout.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "support/windows/disk_answers.h"
#include "support/windows/guid_text.h"

namespace longshore::support {
namespace {

constexpr GUID kReserved = {
    0xe3c9e316, 0x0b5c, 0x4db8, {0x81, 0x7d, 0xf9, 0x2d, 0xf0, 0x02, 0x15, 0xae}};
constexpr GUID kBasicData = {
    0xebd0a0a2, 0xb9e5, 0x4433, {0x87, 0xc0, 0x68, 0xb6, 0xb7, 0x26, 0x99, 0xc7}};
constexpr uint64_t kNoDriveLetter = uint64_t{1} << 63;
constexpr DWORD kMostGptPartitions = 128;
constexpr size_t kMbrEntries = 4;
constexpr uint64_t kMostMbrBytes = uint64_t{2} << 40;  // 32 bits of sectors

constexpr size_t kHeadBytes = offsetof(DRIVE_LAYOUT_INFORMATION_EX, PartitionEntry);

uint64_t start_of(const PARTITION_INFORMATION_EX& entry) {
  return static_cast<uint64_t>(entry.StartingOffset.QuadPart);
}
uint64_t length_of(const PARTITION_INFORMATION_EX& entry) {
  return static_cast<uint64_t>(entry.PartitionLength.QuadPart);
}
uint64_t end_of(const PARTITION_INFORMATION_EX& entry) {
  return start_of(entry) + length_of(entry);
}

bool is_gpt(const PARTITION_INFORMATION_EX& entry) {
  return entry.PartitionStyle == PARTITION_STYLE_GPT;
}

bool is_used(const PARTITION_INFORMATION_EX& entry) {
  if (length_of(entry) == 0) return false;
  if (is_gpt(entry)) return entry.Gpt.PartitionType != GUID{};
  return entry.Mbr.PartitionType != PARTITION_ENTRY_UNUSED;
}

// What other partitions of an MBR lie in.
bool is_container(const PARTITION_INFORMATION_EX& entry) {
  return !is_gpt(entry) && (entry.Mbr.PartitionType == PARTITION_EXTENDED ||
                            entry.Mbr.PartitionType == PARTITION_XINT13_EXTENDED);
}

bool is_possible(const PARTITION_INFORMATION_EX& entry) {
  const auto known = entry.PartitionStyle == PARTITION_STYLE_MBR ||
                     entry.PartitionStyle == PARTITION_STYLE_GPT ||
                     entry.PartitionStyle == PARTITION_STYLE_RAW;
  return known && entry.StartingOffset.QuadPart >= 0 && entry.PartitionLength.QuadPart >= 0 &&
         start_of(entry) <= UINT64_MAX / 2 - length_of(entry);
}

uint64_t aligned_up(uint64_t place) {
  return (place + DriveLayout::kAlignment - 1) / DriveLayout::kAlignment * DriveLayout::kAlignment;
}
uint64_t aligned_down(uint64_t place) {
  return place / DriveLayout::kAlignment * DriveLayout::kAlignment;
}

PARTITION_INFORMATION_EX entry_at(uint64_t start, uint64_t end) {
  PARTITION_INFORMATION_EX entry{};
  entry.StartingOffset.QuadPart = static_cast<LONGLONG>(start);
  entry.PartitionLength.QuadPart = static_cast<LONGLONG>(end - start);
  entry.RewritePartition = TRUE;
  return entry;
}

PARTITION_INFORMATION_EX gpt_entry(uint64_t start, uint64_t end, const GUID& type, const GUID& id,
                                   std::wstring_view name) {
  PARTITION_INFORMATION_EX entry = entry_at(start, end);
  entry.PartitionStyle = PARTITION_STYLE_GPT;
  entry.Gpt.PartitionType = type;
  entry.Gpt.PartitionId = id;
  name.copy(entry.Gpt.Name, std::size(entry.Gpt.Name) - 1);
  return entry;
}

}  // namespace

bool is_reserved(const PARTITION_INFORMATION_EX& entry) {
  return is_gpt(entry) && entry.Gpt.PartitionType == kReserved;
}

bool is_data(const PARTITION_INFORMATION_EX& entry) {
  if (!is_used(entry)) return false;
  if (is_gpt(entry)) return entry.Gpt.PartitionType == kBasicData;
  constexpr BYTE kTypes[] = {PARTITION_FAT_12, PARTITION_FAT_16, PARTITION_HUGE,
                             PARTITION_IFS,    PARTITION_FAT32,  PARTITION_FAT32_XINT13,
                             PARTITION_XINT13};
  return std::ranges::find(kTypes, entry.Mbr.PartitionType) != std::end(kTypes);
}

std::string create_gpt(const GUID& disk_id) {
  CREATE_DISK request{};
  request.PartitionStyle = PARTITION_STYLE_GPT;
  request.Gpt.DiskId = disk_id;
  request.Gpt.MaxPartitionCount = kMostGptPartitions;
  return bytes_of(request);
}

std::optional<DriveLayout> DriveLayout::parse(std::string_view answer) {
  DriveLayout layout;
  const auto style = structure_at<DWORD>(answer);
  const auto count = structure_at<DWORD>(answer, sizeof(DWORD));
  if (!style || !count) return std::nullopt;
  if (*style > PARTITION_STYLE_RAW) return std::nullopt;
  layout.style_ = static_cast<Style>(*style);
  if (layout.style_ == Style::kRaw) return layout;  // what else it says, nobody has written
  if (answer.size() < kHeadBytes) return std::nullopt;
  if (*count > (answer.size() - kHeadBytes) / sizeof(PARTITION_INFORMATION_EX)) {
    return std::nullopt;
  }
  std::memcpy(&layout.head_, answer.data(), kHeadBytes);
  for (DWORD index = 0; index < *count; ++index) {
    const auto entry = structure_at<PARTITION_INFORMATION_EX>(
        answer, kHeadBytes + index * sizeof(PARTITION_INFORMATION_EX));
    if (!is_possible(*entry)) return std::nullopt;
    layout.entries_.push_back(*entry);
  }
  if (layout.style_ == Style::kGpt && (layout.head_.Gpt.StartingUsableOffset.QuadPart < 0 ||
                                       layout.head_.Gpt.UsableLength.QuadPart < 0)) {
    return std::nullopt;
  }
  return layout;
}

std::vector<PARTITION_INFORMATION_EX> DriveLayout::partitions() const {
  std::vector<PARTITION_INFORMATION_EX> found;
  std::ranges::copy_if(entries_, std::back_inserter(found),
                       [](const auto& entry) { return is_used(entry) && !is_reserved(entry); });
  std::ranges::stable_sort(found, {}, start_of);
  return found;
}

const PARTITION_INFORMATION_EX* DriveLayout::partition_at(uint64_t offset) const {
  const auto found = std::ranges::find_if(entries_, [&](const auto& entry) {
    return is_used(entry) && !is_container(entry) && start_of(entry) == offset;
  });
  return found == entries_.end() ? nullptr : &*found;
}

const PARTITION_INFORMATION_EX* DriveLayout::partition_of(const GUID& id) const {
  const auto found = std::ranges::find_if(entries_, [&](const auto& entry) {
    return is_used(entry) && is_gpt(entry) && entry.Gpt.PartitionId == id;
  });
  return found == entries_.end() ? nullptr : &*found;
}

bool DriveLayout::has_reserved() const { return std::ranges::any_of(entries_, is_reserved); }

DriveLayout::Gap DriveLayout::usable(uint64_t disk_bytes) const {
  if (style_ == Style::kMbr) {
    const uint64_t end = aligned_down(std::min(disk_bytes, kMostMbrBytes));
    return {std::min(kAlignment, end), end};
  }
  const auto start = static_cast<uint64_t>(head_.Gpt.StartingUsableOffset.QuadPart);
  const auto length = static_cast<uint64_t>(head_.Gpt.UsableLength.QuadPart);
  const uint64_t end = aligned_down(std::min(start + length, disk_bytes));
  return {std::min(aligned_up(start), end), end};
}

std::optional<uint64_t> DriveLayout::largest_length(uint64_t offset, uint64_t disk_bytes) const {
  const PARTITION_INFORMATION_EX* partition = partition_at(offset);
  if (partition == nullptr) return std::nullopt;
  uint64_t end = usable(disk_bytes).end;
  for (const PARTITION_INFORMATION_EX& other : entries_) {
    if (&other == partition || !is_used(other)) continue;
    const bool is_within = start_of(other) <= offset && offset < end_of(other);
    if (is_within) return std::nullopt;
    if (start_of(other) > offset) end = std::min(end, aligned_down(start_of(other)));
  }
  return std::max(length_of(*partition), end - std::min(end, offset));
}

std::optional<DriveLayout::Gap> DriveLayout::largest_free(uint64_t disk_bytes) const {
  std::vector<PARTITION_INFORMATION_EX> used;
  std::ranges::copy_if(entries_, std::back_inserter(used), is_used);
  std::ranges::sort(used, {}, start_of);
  const Gap all = usable(disk_bytes);
  Gap largest;
  uint64_t free = all.start;
  const auto consider = [&](uint64_t end) {
    const Gap gap{free, std::max(free, std::min(aligned_down(end), all.end))};
    if (gap.size() > largest.size()) largest = gap;
  };
  for (const PARTITION_INFORMATION_EX& entry : used) {
    consider(start_of(entry));
    free = std::max(free, aligned_up(end_of(entry)));
  }
  consider(all.end);
  if (largest.size() < kAlignment) return std::nullopt;
  return largest;
}

std::optional<DriveLayout> DriveLayout::with_data_partition(uint64_t disk_bytes,
                                                            const GUID& reserved_id,
                                                            const GUID& data_id) const {
  if (style_ == Style::kRaw) return std::nullopt;
  std::optional<Gap> room = largest_free(disk_bytes);
  if (!room) return std::nullopt;
  DriveLayout layout = *this;
  if (style_ == Style::kMbr) {
    PARTITION_INFORMATION_EX entry = entry_at(room->start, room->end);
    entry.PartitionStyle = PARTITION_STYLE_MBR;
    entry.Mbr.PartitionType = PARTITION_IFS;
    entry.Mbr.RecognizedPartition = TRUE;
    // A table of an MBR has so many entries, used or not; a longer list is of logical drives.
    std::erase_if(layout.entries_, [](const auto& each) { return !is_used(each); });
    if (layout.entries_.size() >= kMbrEntries) return std::nullopt;
    layout.entries_.push_back(entry);
    PARTITION_INFORMATION_EX unused{};
    unused.RewritePartition = TRUE;
    layout.entries_.resize(kMbrEntries, unused);
    return layout;
  }
  if (!has_reserved()) {
    if (room->size() < kReservedBytes + kAlignment) return std::nullopt;
    layout.entries_.push_back(gpt_entry(room->start, room->start + kReservedBytes, kReserved,
                                        reserved_id, L"Microsoft reserved partition"));
    room->start += kReservedBytes;
  }
  PARTITION_INFORMATION_EX data =
      gpt_entry(room->start, room->end, kBasicData, data_id, L"Basic data partition");
  data.Gpt.Attributes = kNoDriveLetter;
  layout.entries_.push_back(data);
  return layout;
}

std::string DriveLayout::bytes() const {
  DRIVE_LAYOUT_INFORMATION_EX head = head_;
  head.PartitionStyle = static_cast<DWORD>(style_);
  head.PartitionCount = static_cast<DWORD>(entries_.size());
  std::string bytes = bytes_of(head).substr(0, kHeadBytes);
  for (const PARTITION_INFORMATION_EX& entry : entries_) bytes += bytes_of(entry);
  return bytes;
}

std::string DriveLayout::identifier() const {
  if (style_ == Style::kGpt && head_.Gpt.DiskId != GUID{}) return guid_text(head_.Gpt.DiskId);
  if (style_ == Style::kMbr && head_.Mbr.Signature != 0) {
    return "signature " + std::to_string(head_.Mbr.Signature);
  }
  return {};
}

}  // namespace longshore::support
