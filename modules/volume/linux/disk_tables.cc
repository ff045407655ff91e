#include "volume/linux/disk_tables.h"

#include <fcntl.h>

#include <string>
#include <utility>

#include "support/linux/block/opened_disk.h"

namespace longshore::volume {

using block::Content;
using block::Disk;

namespace {

constexpr const char* kRead = "read what is on";

std::string key_of(const Disk& disk) { return std::to_string(disk.number); }

std::optional<DiskTable> table_on(const Disk& disk) {
  const Result<FileDescriptor> opened = block::open_disk(disk, O_RDONLY, kRead);
  if (!opened) return std::nullopt;
  auto partitions = block::read_partitions(*opened, disk.node);
  if (!partitions) return std::nullopt;
  if (!partitions->empty()) return DiskTable{*std::move(partitions), {}};
  Result<Content> content = block::read_content(*opened, whole(disk), disk.node);
  if (!content) return std::nullopt;
  return DiskTable{{}, *std::move(content)};
}

std::optional<Content> content_on(const Disk& disk) {
  const Result<FileDescriptor> opened = block::open_disk(disk, O_RDONLY, kRead);
  if (!opened) return std::nullopt;
  Result<Content> content = block::read_content(*opened, whole(disk), disk.node);
  if (!content) return std::nullopt;
  return *std::move(content);
}

}  // namespace

DiskTables::DiskTables(const block::BlockDevices& devices, std::chrono::milliseconds patience)
    : devices_(devices),
      tables_(&table_on, &key_of, patience),
      contents_(&content_on, &key_of, patience) {}

std::vector<std::optional<DiskTable>> DiskTables::read(const std::vector<Disk>& disks) {
  std::vector<Disk> asked;
  std::vector<size_t> places;
  std::vector<std::optional<DiskTable>> tables(disks.size());
  for (size_t i = 0; i < disks.size(); ++i) {
    if (!disks[i].holders.empty()) {
      tables[i].emplace();
    } else if (devices_.is_reachable(disks[i])) {
      asked.push_back(disks[i]);
      places.push_back(i);
    }
  }
  auto answers = tables_.gather(asked);
  for (size_t i = 0; i < asked.size(); ++i) tables[places[i]] = std::move(answers[i]);
  return tables;
}

}  // namespace longshore::volume
