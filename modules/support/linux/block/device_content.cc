#include "support/linux/block/device_content.h"

#include <blkid.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "support/linux/block/device_failure.h"
#include "support/linux/block/partition_limit.h"

namespace longshore::block {

namespace {

struct FreeProbe {
  void operator()(blkid_probe probe) const { blkid_free_probe(probe); }
};
using Probe = std::unique_ptr<blkid_struct_probe, FreeProbe>;

constexpr std::string_view kReservedType = "e3c9e316-0b5c-4db8-817d-f92df00215ae";
constexpr std::string_view kPrivateTypes[] = {
    "21686148-6449-6e6f-744e-656564454649",  // BIOS boot
    "9e1a2d38-c612-4316-aa26-8b49521e5a8b",  // PReP boot
    "6a945a3b-1dd2-11b2-99a6-080020736631",  // ZFS' reserve
};
constexpr int kPrepType = 0x41;  // PReP boot in an MBR
// Damaged ones too (BADCSUM): what can be saved yet is no reason to call a disk blank.
constexpr int kSuperblockFacts =
    BLKID_SUBLKS_TYPE | BLKID_SUBLKS_UUID | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_BADCSUM;

std::string value_of(const Probe& probe, const char* name) {
  const char* value = nullptr;
  return blkid_probe_lookup_value(probe.get(), name, &value, nullptr) == 0 ? value : "";
}

// Ids are made of it, which have to be text: a CD's is a date, which may be any bytes.
std::string identifier_of(const Probe& probe, const char* name) {
  std::string value = value_of(probe, name);
  const auto is_graphic = [](unsigned char c) { return c > ' ' && c < 0x7f; };
  return std::ranges::all_of(value, is_graphic) ? value : std::string();
}

bool contains(blkid_partition outer, blkid_partition inner) {
  const auto start = blkid_partition_get_start(outer), place = blkid_partition_get_start(inner);
  return start <= place && place - start < blkid_partition_get_size(outer);
}

uint32_t container_of(blkid_partlist list, blkid_partition entry) {
  if (blkid_partition_is_logical(entry) == 0) return 0;
  blkid_partition parent = blkid_parttable_get_parent(blkid_partition_get_table(entry));
  const int count = blkid_partlist_numof_partitions(list);
  for (int index = 0; index < count && parent == nullptr; ++index) {
    blkid_partition other = blkid_partlist_get_partition(list, index);
    if (blkid_partition_is_extended(other) != 0 && contains(other, entry)) parent = other;
  }
  return parent == nullptr ? 0 : static_cast<uint32_t>(blkid_partition_get_partno(parent));
}

std::vector<TablePartition> partitions_of(const Probe& probe) {
  std::vector<TablePartition> partitions;
  blkid_partlist list = blkid_probe_get_partitions(probe.get());
  const int count = list == nullptr ? 0 : blkid_partlist_numof_partitions(list);
  for (int index = 0; index < count; ++index) {
    blkid_partition entry = blkid_partlist_get_partition(list, index);
    TablePartition partition;
    partition.number = static_cast<uint32_t>(blkid_partition_get_partno(entry));
    partition.start = static_cast<uint64_t>(blkid_partition_get_start(entry));
    partition.sectors = static_cast<uint64_t>(blkid_partition_get_size(entry));
    if (const char* uuid = blkid_partition_get_uuid(entry)) partition.uuid = uuid;
    if (const char* type = blkid_partition_get_type_string(entry)) {
      partition.is_reserved = type == kReservedType;
      partition.is_private = std::ranges::find(kPrivateTypes, type) != std::end(kPrivateTypes);
    }
    partition.is_private = partition.is_private || blkid_partition_is_extended(entry) != 0 ||
                           blkid_partition_get_type(entry) == kPrepType;
    partition.container = container_of(list, entry);
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

ContentKind kind_of(const Probe& probe) {
  const std::string usage = value_of(probe, "USAGE");
  if (usage == "filesystem") return ContentKind::kFilesystem;
  if (usage == "raid" || usage == "crypto") return ContentKind::kMember;
  if (value_of(probe, "TYPE") == "swap") return ContentKind::kSwap;
  if (!usage.empty()) return ContentKind::kMember;  // "other": of which nothing is known
  if (!value_of(probe, "PTTYPE").empty()) return ContentKind::kPartitionTable;
  return ContentKind::kNothing;
}

// libblkid does not always say why it fails: there is no `error` then, as errno has to be set to 0
// before the call.
Error failed(const char* operation, const std::string& object, const std::error_code& error) {
  if (error) return device_failure(StatusCode::kUnknown, operation, object, error);
  return Error(StatusCode::kInternal, operation, object).because("libblkid does not say why");
}

// Leaves errno at 0 for what the probe is asked first. Without one `error` is what failed() takes.
Probe new_probe(const FileDescriptor& device, const ByteRange& range, std::error_code& error) {
  errno = 0;
  Probe probe(blkid_new_probe());
  const bool is_set = probe && blkid_probe_set_device(probe.get(), device.get(),
                                                      static_cast<blkid_loff_t>(range.offset),
                                                      static_cast<blkid_loff_t>(range.size)) == 0;
  error = error_unless(is_set);
  if (!is_set) return nullptr;
  blkid_probe_enable_superblocks(probe.get(), 1);
  blkid_probe_enable_partitions(probe.get(), 1);
  blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_ENTRY_DETAILS);
  errno = 0;  // libblkid has asked whether it is a CD drive, which other devices refuse
  return probe;
}

// Whether libblkid answers so where a filesystem of the usual kinds may be on the range too: behind
// what may lie beneath one it looks no further, and of some that it tolerates beside others it
// names the first.
bool may_hold_more(const Content& content) {
  constexpr std::string_view kSure[] = {"ext2", "ext3", "ext4", "xfs", "btrfs", "ntfs"};
  switch (content.kind) {
    case ContentKind::kFilesystem:
      return std::ranges::find(kSure, content.type) == std::end(kSure);
    case ContentKind::kMember:
    case ContentKind::kSwap:
    case ContentKind::kAmbiguous:
      return true;
    default:
      return false;
  }
}

Signature signature_of(const Probe& probe) {
  Signature signature;
  signature.kind = kind_of(probe);
  signature.type = value_of(probe, "TYPE");
  signature.uuid = identifier_of(probe, "UUID");
  signature.device_uuid = identifier_of(probe, "UUID_SUB");
  // Where libblkid does not tell the place it counts as the start, where nothing is overlooked.
  const std::string place = value_of(probe, "SBMAGIC_OFFSET");
  std::from_chars(place.data(), place.data() + place.size(), signature.place);
  signature.has_wrong_checksum = value_of(probe, "SBBADCSUM") == "1";
  return signature;
}

// Whether the probe has found one more.
Result<bool> next_signature(const Probe& probe, const char* operation, const std::string& object) {
  errno = 0;
  const int answer = blkid_do_probe(probe.get());
  const std::error_code error = error_unless(answer >= 0);
  if (answer < 0) return failed(operation, object, error);
  return answer == 0;
}

// One of each kind, in the order of their places.
Result<std::vector<Signature>> read_signatures(const FileDescriptor& disk, const ByteRange& range,
                                               const std::string& object) {
  constexpr const char* kOperation = "look for signatures on";
  std::error_code error;
  const Probe probe = new_probe(disk, range, error);
  if (!probe) return failed(kOperation, object, error);
  blkid_probe_enable_partitions(probe.get(), 0);
  blkid_probe_set_superblocks_flags(probe.get(), kSuperblockFacts | BLKID_SUBLKS_MAGIC);
  std::vector<Signature> signatures;
  for (;;) {
    auto is_found = next_signature(probe, kOperation, object);
    if (!is_found) return std::move(is_found).error();
    if (!*is_found) break;
    signatures.push_back(signature_of(probe));
  }
  std::ranges::stable_sort(signatures, {}, &Signature::place);
  return signatures;
}

// Finds a GPT whose first sector was lost: without the protective MBR nobody looks for it, yet the
// partitions and what they hold are still there.
Result<void> look_for_lost_table(const FileDescriptor& disk, const ByteRange& range,
                                 const std::string& object, Content& content) {
  constexpr const char* kOperation = "look for a partition table on";
  std::error_code error;
  const Probe probe = new_probe(disk, range, error);
  if (!probe) return failed(kOperation, object, error);
  blkid_probe_enable_superblocks(probe.get(), 0);
  blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_FORCE_GPT);
  const int answer = blkid_do_fullprobe(probe.get());
  error = error_unless(answer >= 0);
  if (answer < 0) return failed(kOperation, object, error);
  if (answer > 0) return {};
  content.kind = ContentKind::kLostTable;
  content.partitions = partitions_of(probe);
  return {};
}

}  // namespace

Result<Content> read_content(const FileDescriptor& disk, const ByteRange& range,
                             const std::string& object) {
  constexpr const char* kOperation = "read what is on";
  if (auto checked = check_logical_partitions(disk, range.offset, object); !checked) {
    return std::move(checked).error();
  }
  std::error_code error;
  const Probe probe = new_probe(disk, range, error);
  if (!probe && error == std::errc::invalid_argument) {
    return Error(StatusCode::kFailedPrecondition, kOperation, object)
        .because("the partition table places it beyond the end of the disk")
        .advise("the table is damaged, or the disk was larger once");
  }
  if (!probe) return failed(kOperation, object, error);
  blkid_probe_set_superblocks_flags(probe.get(), kSuperblockFacts);
  constexpr int kFound = 0, kNothing = 1, kAmbivalent = -2;
  Content content;
  const int answer = blkid_do_safeprobe(probe.get());
  const bool is_answered = answer == kFound || answer == kNothing || answer == kAmbivalent;
  error = error_unless(is_answered);
  if (!is_answered) return failed(kOperation, object, error);
  // Of a partition's own node its entry in the disk's table is found, which is none of its content.
  if (answer == kFound) content.kind = kind_of(probe);
  if (answer == kAmbivalent) {
    content.kind = ContentKind::kAmbiguous;
  } else if (content.kind == ContentKind::kNothing) {
    if (auto looked = look_for_lost_table(disk, range, object, content); !looked) {
      return std::move(looked).error();
    }
  } else if (content.kind == ContentKind::kPartitionTable) {
    content.type = value_of(probe, "PTTYPE");
    content.partitions = partitions_of(probe);
    if (content.partitions.size() > kMostPartitions) return too_many_partitions(object);
  } else {
    content.type = value_of(probe, "TYPE");
    content.uuid = identifier_of(probe, "UUID");
    content.device_uuid = identifier_of(probe, "UUID_SUB");
  }
  if (may_hold_more(content)) {
    Result<std::vector<Signature>> signatures = read_signatures(disk, range, object);
    if (!signatures) return std::move(signatures).error();
    content.signatures = *std::move(signatures);
  }
  return content;
}

std::string describe(const Content& content) {
  if (content.kind == ContentKind::kLostTable)
    return "a GPT, of which the first sector was overwritten";
  if (content.kind != ContentKind::kAmbiguous && content.signatures.size() < 2) {
    return content.type;
  }
  const bool is_one = content.kind == ContentKind::kFilesystem;
  std::string text = is_one ? content.type + ", and what looks like " : "";
  bool is_first = true;
  for (const Signature& signature : content.signatures) {
    if (is_one && signature.type == content.type) continue;
    if (!std::exchange(is_first, false)) text += " and ";
    text += signature.type + " at byte " + std::to_string(signature.place);
    if (signature.has_wrong_checksum) text += " (its checksum is wrong)";
  }
  return text.empty() ? "several things that contradict each other" : text;
}

Result<std::vector<TablePartition>> read_partitions(const FileDescriptor& disk,
                                                    const std::string& object) {
  constexpr const char* kOperation = "read the partition table of";
  if (auto checked = check_logical_partitions(disk, 0, object); !checked) {
    return std::move(checked).error();
  }
  std::error_code error;
  const Probe probe = new_probe(disk, {0, 0}, error);
  if (!probe) return failed(kOperation, object, error);
  blkid_probe_enable_superblocks(probe.get(), 0);
  const int answer = blkid_do_fullprobe(probe.get());
  error = error_unless(answer >= 0);
  if (answer < 0) return failed(kOperation, object, error);
  if (answer > 0) return std::vector<TablePartition>();
  std::vector<TablePartition> partitions = partitions_of(probe);
  if (partitions.size() > kMostPartitions) return too_many_partitions(object);
  return partitions;
}

Result<void> wipe_signatures(const FileDescriptor& device, const std::string& object) {
  constexpr const char* kOperation = "remove the old signatures from";
  if (auto checked = check_logical_partitions(device, 0, object); !checked) return checked;
  std::error_code error;
  const Probe probe = new_probe(device, {0, 0}, error);  // 0: to the device's end
  if (!probe) return failed(kOperation, object, error);
  blkid_probe_set_superblocks_flags(probe.get(),
                                    BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_TYPE | BLKID_SUBLKS_BADCSUM);
  blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
  // Each round finds one signature and goes a step back, so that what was under it shows next.
  for (;;) {
    auto is_found = next_signature(probe, kOperation, object);
    if (!is_found) return std::move(is_found).error();
    if (!*is_found) break;
    errno = 0;
    const bool is_wiped = blkid_do_wipe(probe.get(), /*dryrun=*/0) == 0;
    error = error_unless(is_wiped);
    if (!is_wiped) return failed(kOperation, object, error);
  }
  error = error_unless(::fsync(device.get()) == 0);
  return error ? failed(kOperation, object, error) : Result<void>();
}

}  // namespace longshore::block
