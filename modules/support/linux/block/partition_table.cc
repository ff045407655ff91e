#include "support/linux/block/partition_table.h"

#include <fcntl.h>
#include <libfdisk.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "support/linux/block/device_failure.h"
#include "support/linux/block/partition_limit.h"

namespace longshore::block {

namespace {

constexpr const char* kLinuxData = "0FC63DAF-8483-4772-8E79-3D69D8477DE4";
constexpr const char* kGrow = "let a partition grow on";
constexpr uint64_t kMebibyte = 1 << 20;
constexpr uint64_t kMaxMbrSectors = std::numeric_limits<uint32_t>::max();

struct UnrefPartition {
  void operator()(fdisk_partition* partition) const { fdisk_unref_partition(partition); }
};
struct UnrefTable {
  void operator()(fdisk_table* table) const { fdisk_unref_table(table); }
};
struct UnrefType {
  void operator()(fdisk_parttype* type) const { fdisk_unref_parttype(type); }
};
using Partition = std::unique_ptr<fdisk_partition, UnrefPartition>;
using Table = std::unique_ptr<fdisk_table, UnrefTable>;

Table partitions_of(fdisk_context* context) {
  fdisk_table* table = nullptr;
  fdisk_get_partitions(context, &table);
  return Table(table);
}

Partition partition_of(fdisk_context* context, uint32_t number) {
  fdisk_partition* partition = nullptr;
  if (number == 0 || fdisk_get_partition(context, number - 1, &partition) != 0) return nullptr;
  return Partition(partition);
}

// The first sector behind a logical partition of an MBR that it cannot have: its container's end,
// or the table that stands before the next logical one.
uint64_t end_for_logical(fdisk_context* context, fdisk_partition* logical) {
  size_t parent = 0;
  fdisk_partition_get_parent(logical, &parent);
  const Partition container = partition_of(context, static_cast<uint32_t>(parent) + 1);
  uint64_t end = container ? fdisk_partition_get_end(container.get()) + 1 : 0;
  const char* name = nullptr;
  uint64_t offset = 0;
  size_t size = 0;
  for (int n = 1; fdisk_locate_disklabel(context, n, &name, &offset, &size) == 0; ++n) {
    const uint64_t table = offset / fdisk_get_sector_size(context);
    if (table > fdisk_partition_get_start(logical)) end = std::min(end, table);
  }
  return end;
}

const char* or_empty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

void PartitionTable::Release::operator()(fdisk_context* context) const {
  // No fdisk_deassign_device before: it aborts where assigning has failed.
  fdisk_unref_context(context);
}

Result<PartitionTable> PartitionTable::open(const Disk& disk, const FileDescriptor& opened) {
  if (auto checked = check_logical_partitions(opened, 0, disk.node); !checked) {
    return std::move(checked).error();
  }
  PartitionTable table(disk.node, fdisk_new_context());
  fdisk_disable_dialogs(table.context_.get(), 1);
  const int error = fdisk_assign_device_by_fd(table.context_.get(), opened.get(), disk.node.c_str(),
                                              /*readonly=*/0);
  if (error != 0) return table.failed("read the partition table of", error);
  return table;
}

Result<void> PartitionTable::create() {
  const int error = fdisk_create_disklabel(context_.get(), "gpt");
  if (error != 0) return failed("make a partition table on", error);
  return {};
}

Result<void> PartitionTable::add_largest() {
  const Partition partition(fdisk_new_partition());
  fdisk_label* label = fdisk_get_label(context_.get(), nullptr);
  // On a GPT. An MBR takes its own default, Linux.
  const std::unique_ptr<fdisk_parttype, UnrefType> type(
      fdisk_label_get_parttype_from_string(label, kLinuxData));
  if (type) fdisk_partition_set_type(partition.get(), type.get());
  fdisk_partition_partno_follow_default(partition.get(), 1);
  fdisk_partition_start_follow_default(partition.get(), 1);
  fdisk_partition_end_follow_default(partition.get(), 1);
  const int error = fdisk_add_partition(context_.get(), partition.get(), nullptr);
  if (error != 0) return failed("make a partition on", error);
  return {};
}

Result<uint64_t> PartitionTable::largest_size(uint32_t number) const {
  const Partition partition = partition_of(context_.get(), number);
  if (!partition) return failed(kGrow, -ENOENT);
  const uint64_t start = fdisk_partition_get_start(partition.get());
  const uint64_t now = fdisk_partition_get_size(partition.get());
  uint64_t end = fdisk_get_last_lba(context_.get()) + 1;
  if (fdisk_is_label(context_.get(), DOS)) end = std::min(end, kMaxMbrSectors);
  if (fdisk_partition_is_nested(partition.get())) {
    end = std::min(end, end_for_logical(context_.get(), partition.get()));
  }
  const Table table = partitions_of(context_.get());
  const size_t count = table ? fdisk_table_get_nents(table.get()) : 0;
  for (size_t index = 0; index < count; ++index) {
    const uint64_t other = fdisk_partition_get_start(fdisk_table_get_partition(table.get(), index));
    if (other > start) end = std::min(end, other);
  }
  const uint64_t sector = fdisk_get_sector_size(context_.get());
  const uint64_t bytes = end > start ? (end - start) * sector / kMebibyte * kMebibyte : 0;
  return std::max(bytes, now * sector);
}

Result<void> PartitionTable::set_size(uint32_t number, uint64_t bytes) {
  const std::string others = describe_others(number);
  const Partition before = partition_of(context_.get(), number);
  if (!before) return failed(kGrow, -ENOENT);
  const uint64_t sectors = bytes / fdisk_get_sector_size(context_.get());
  if (sectors < fdisk_partition_get_size(before.get())) {
    return Error(StatusCode::kInternal, kGrow, object_).because("it would become smaller");
  }

  const Partition wanted(fdisk_new_partition());
  fdisk_partition_set_size(wanted.get(), sectors);
  fdisk_partition_size_explicit(wanted.get(), 1);
  const int error = fdisk_set_partition(context_.get(), number - 1, wanted.get());
  if (error != 0) return failed(kGrow, error);

  const Partition after = partition_of(context_.get(), number);
  if (!after || fdisk_partition_get_start(after.get()) != fdisk_partition_get_start(before.get()) ||
      fdisk_partition_get_size(after.get()) != sectors || describe_others(number) != others) {
    return Error(StatusCode::kInternal, kGrow, object_)
        .because("the new table would change more than the end of this partition")
        .advise("nothing was written");
  }
  return {};
}

// All that a table says, less where the partition of this number ends.
std::string PartitionTable::describe_others(uint32_t number) const {
  std::string text;
  const Table table = partitions_of(context_.get());
  const size_t count = table ? fdisk_table_get_nents(table.get()) : 0;
  for (size_t index = 0; index < count; ++index) {
    fdisk_partition* partition = fdisk_table_get_partition(table.get(), index);
    const size_t other = fdisk_partition_get_partno(partition) + 1;
    text.append(std::to_string(other)).append(" ");
    text.append(std::to_string(fdisk_partition_get_start(partition))).append(" ");
    if (other != number) text.append(std::to_string(fdisk_partition_get_size(partition)));
    fdisk_parttype* type = fdisk_partition_get_type(partition);
    for (const char* fact :
         {fdisk_partition_get_uuid(partition), fdisk_partition_get_name(partition),
          fdisk_partition_get_attrs(partition), fdisk_parttype_get_string(type)}) {
      text.append(" \"").append(or_empty(fact)).append("\"");
    }
    text.append(" ").append(std::to_string(fdisk_parttype_get_code(type))).append("\n");
  }
  return text;
}

Result<void> PartitionTable::write() {
  constexpr const char* kOperation = "write the partition table of";
  // Opened anew, and before: libfdisk flushes only some tables, ignores how that ends, and takes
  // the news of a failed write away from its own descriptor.
  const std::string path = "/proc/self/fd/" + std::to_string(fdisk_get_devfd(context_.get()));
  const FileDescriptor flushed(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!flushed) return failed(kOperation, -errno);
  const int error = fdisk_write_disklabel(context_.get());
  if (error != 0) return failed(kOperation, error);
  if (::fsync(flushed.get()) != 0) return failed(kOperation, -errno);
  return {};
}

Error PartitionTable::failed(const char* operation, int error) const {
  return device_failure(StatusCode::kFailedPrecondition, operation, object_,
                        std::error_code(-error, std::generic_category()));
}

}  // namespace longshore::block
