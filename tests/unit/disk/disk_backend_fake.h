// Disks in memory that keep the contract of DiskBackend: for tests of what stands above, and run
// through the same suite as the real ones.
//
// Threads: any number at once; one lock.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "disk/disk_backend.h"

namespace longshore::disk {

struct FakeDisk {
  // What it holds. A table has as many partitions as `partitions` says, also none.
  enum class Content { kNothing, kTable, kSomethingElse };

  uint64_t size = 0;
  Content content = Content::kNothing;
  uint32_t partitions = 0;
  std::optional<DiskLocation> location = std::nullopt;
  DiskIdentity identity = {};
  bool online = true;
  bool system_has_it_offline = false;  // of itself
  bool read_only = false;
  bool in_use = false;
  bool needed_by_system = false;
};

class DiskBackendFake final : public DiskBackend {
 public:
  // What a test plugs in, in place of what has the number, and pulls out.
  void put(uint32_t number, const FakeDisk& disk);
  void remove(uint32_t number);
  // Seen after the next rescan.
  void put_unseen(uint32_t number, const FakeDisk& disk);
  // What a test finds there.
  std::optional<FakeDisk> inspect(uint32_t number) const;

  Result<std::map<uint32_t, DiskLocation>> locations() override;
  Result<std::map<uint32_t, DiskIdentity>> identities() override;
  Result<uint64_t> size_in_bytes(uint32_t number) override;
  Result<void> partition(uint32_t number, const Deadline& deadline) override;
  Result<void> rescan(const Deadline& deadline) override;
  Result<DiskState> state(uint32_t number) override;
  Result<void> set_online(uint32_t number, bool online, const Deadline& deadline) override;

 private:
  Result<FakeDisk*> find(uint32_t number, const std::string& operation);

  mutable std::mutex mutex_;
  std::map<uint32_t, FakeDisk> disks_;
  std::map<uint32_t, FakeDisk> unseen_;
};

}  // namespace longshore::disk
