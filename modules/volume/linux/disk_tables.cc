#include "volume/linux/disk_tables.h"

#include <fcntl.h>

#include <numeric>
#include <string>
#include <utility>

#include "support/linux/block/opened_disk.h"
#include "volume/linux/volume_content.h"

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
  Result<Content> content = read_volume_content(*opened, whole(disk), disk.node, disk.device);
  if (!content) return std::nullopt;
  return DiskTable{{}, *std::move(content)};
}

std::optional<Content> content_on(const Disk& disk) {
  const Result<FileDescriptor> opened = block::open_disk(disk, O_RDONLY, kRead);
  if (!opened) return std::nullopt;
  Result<Content> content = read_volume_content(*opened, whole(disk), disk.node, disk.device);
  if (!content) return std::nullopt;
  return *std::move(content);
}

}  // namespace

DiskTables::DiskTables(const block::BlockDevices& devices, std::chrono::milliseconds patience)
    : devices_(devices),
      tables_(&table_on, &key_of, patience),
      contents_(&content_on, &key_of, patience) {}

std::vector<std::optional<DiskTable>> DiskTables::read(const std::vector<Disk>& disks) {
  std::vector<size_t> places;
  std::vector<std::optional<DiskTable>> tables(disks.size());
  for (size_t i = 0; i < disks.size(); ++i) {
    if (disks[i].holders.empty()) {
      places.push_back(i);
    } else {
      tables[i].emplace();
    }
  }
  gather(disks, places, tables);
  return tables;
}

std::vector<std::optional<DiskTable>> DiskTables::read_held_too(const std::vector<Disk>& disks) {
  std::vector<size_t> places(disks.size());
  std::iota(places.begin(), places.end(), 0);
  std::vector<std::optional<DiskTable>> tables(disks.size());
  gather(disks, places, tables);
  return tables;
}

void DiskTables::gather(const std::vector<Disk>& disks, const std::vector<size_t>& places,
                        std::vector<std::optional<DiskTable>>& tables) {
  std::vector<Disk> asked;
  std::vector<size_t> reachable;
  for (const size_t place : places) {
    if (!devices_.is_reachable(disks[place])) continue;
    asked.push_back(disks[place]);
    reachable.push_back(place);
  }
  auto answers = tables_.gather(asked);
  for (size_t i = 0; i < asked.size(); ++i) tables[reachable[i]] = std::move(answers[i]);
}

}  // namespace longshore::volume
