#include "tests/unit/disk/disk_backend_fake.h"

#include <utility>

namespace longshore::disk {

namespace {

constexpr const char* kPartition = "partition the disk";

Error refusal(const std::string& operation, uint32_t number, std::string cause) {
  return Error(StatusCode::kFailedPrecondition, operation, std::to_string(number))
      .because(std::move(cause));
}

// Why nobody may take the disk's content or state, or "".
std::string use_of(const FakeDisk& disk) {
  if (disk.needed_by_system) return "the system needs it";
  if (disk.in_use) return "it is in use";
  return {};
}

// Why a table cannot be written, or "".
std::string obstacle_to_table(const FakeDisk& disk) {
  if (disk.content == FakeDisk::Content::kSomethingElse) {
    return "it holds something other than a partition table";
  }
  if (disk.read_only) return "it is read-only";
  return use_of(disk);
}

}  // namespace

void DiskBackendFake::put(uint32_t number, const FakeDisk& disk) {
  const std::lock_guard lock(mutex_);
  disks_[number] = disk;
}

void DiskBackendFake::remove(uint32_t number) {
  const std::lock_guard lock(mutex_);
  disks_.erase(number);
}

void DiskBackendFake::put_unseen(uint32_t number, const FakeDisk& disk) {
  const std::lock_guard lock(mutex_);
  unseen_[number] = disk;
}

std::optional<FakeDisk> DiskBackendFake::inspect(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  const auto disk = disks_.find(number);
  return disk == disks_.end() ? std::nullopt : std::optional(disk->second);
}

Result<FakeDisk*> DiskBackendFake::find(uint32_t number, const std::string& operation) {
  const auto disk = disks_.find(number);
  if (disk != disks_.end()) return &disk->second;
  return Error(StatusCode::kNotFound, operation, std::to_string(number))
      .because("there is no such disk");
}

Result<std::map<uint32_t, DiskLocation>> DiskBackendFake::locations() {
  const std::lock_guard lock(mutex_);
  std::map<uint32_t, DiskLocation> locations;
  for (const auto& [number, disk] : disks_) {
    if (disk.location) locations[number] = *disk.location;
  }
  return locations;
}

Result<std::map<uint32_t, DiskIdentity>> DiskBackendFake::identities() {
  const std::lock_guard lock(mutex_);
  std::map<uint32_t, DiskIdentity> identities;
  for (const auto& [number, disk] : disks_) identities[number] = disk.identity;
  return identities;
}

Result<uint64_t> DiskBackendFake::size_in_bytes(uint32_t number) {
  const std::lock_guard lock(mutex_);
  const Result<FakeDisk*> disk = find(number, "tell the size of the disk");
  if (!disk) return disk.error();
  return (*disk)->size;
}

Result<void> DiskBackendFake::partition(uint32_t number, const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kPartition, std::to_string(number))) {
    return *std::move(exceeded);
  }
  const std::lock_guard lock(mutex_);
  const Result<FakeDisk*> found = find(number, kPartition);
  if (!found) return found.error();
  FakeDisk& disk = **found;
  if (disk.system_has_it_offline) return refusal(kPartition, number, "it is offline");
  if (disk.content == FakeDisk::Content::kTable && disk.partitions > 0) return {};
  if (std::string obstacle = obstacle_to_table(disk); !obstacle.empty()) {
    return refusal(kPartition, number, std::move(obstacle));
  }
  disk.content = FakeDisk::Content::kTable;
  disk.partitions = 1;
  return {};
}

Result<void> DiskBackendFake::rescan(const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded("rescan the disks", {})) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  for (auto& [number, disk] : unseen_) disks_[number] = std::move(disk);
  unseen_.clear();
  return {};
}

Result<DiskState> DiskBackendFake::state(uint32_t number) {
  const std::lock_guard lock(mutex_);
  const Result<FakeDisk*> disk = find(number, "tell the state of the disk");
  if (!disk) return disk.error();
  return DiskState{(*disk)->online && !(*disk)->system_has_it_offline, (*disk)->read_only};
}

Result<void> DiskBackendFake::set_online(uint32_t number, bool online, const Deadline& deadline) {
  const std::string operation = online ? "take online the disk" : "take offline the disk";
  if (auto exceeded = deadline.exceeded(operation, std::to_string(number))) {
    return *std::move(exceeded);
  }
  const std::lock_guard lock(mutex_);
  const Result<FakeDisk*> found = find(number, operation);
  if (!found) return found.error();
  FakeDisk& disk = **found;
  if (disk.online == online && !disk.system_has_it_offline) return {};
  if (std::string use = use_of(disk); !online && !use.empty()) {
    return refusal(operation, number, std::move(use));
  }
  disk.online = online;
  if (online) disk.system_has_it_offline = false;
  return {};
}

}  // namespace longshore::disk
