// Volumes, disks and directories in memory that keep the contract of VolumeBackend: for tests of
// what stands above, and run through the same suite as the real ones.
//
// Threads: any number at once; one lock.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/allowed_roots.h"
#include "volume/volume_backend.h"

namespace longshore::volume {

struct FakeVolume {
  // kHalfFormatted: formatting was cut short.
  enum class Content { kNothing, kHalfFormatted, kFilesystem, kSomethingElse };

  uint32_t disk_number = 0;
  uint32_t partition_number = 0;  // 0: the whole disk
  uint64_t size = 0;
  Content content = Content::kNothing;
  uint64_t used = 0;
  bool never_mounted = false;  // since it was formatted here
  bool read_only = false;
  bool needed_by_system = false;
};

class VolumeBackendFake final : public VolumeBackend {
 public:
  // What a disk keeps for the two copies of its partition table.
  static constexpr uint64_t kTableBytes = uint64_t{2} << 20;

  // The allowed roots exist, as directories that lie on no volume.
  explicit VolumeBackendFake(support::AllowedRoots roots);

  // What a test plugs in. A volume lies on a disk that was put before; volumes whose ids differ
  // only by "@..." at the end have the id before it in common. grow_disk() leaves the volumes as
  // they are; unplug() takes them along, but not what is mounted.
  void put_disk(uint32_t number, uint64_t bytes);
  void grow_disk(uint32_t number, uint64_t bytes) { put_disk(number, bytes); }
  void unplug(uint32_t number);
  void put_volume(const std::string& id, const FakeVolume& volume);
  bool has_volume(const std::string& id) const;

  // What the disk group does, with its answers, and what somebody else does.
  Result<void> set_online(uint32_t disk_number, bool online);
  void make_read_only(uint32_t disk_number);
  void set_mount_read_only_disks(bool mounted) { mounts_read_only_disks_ = mounted; }

  // What a test puts below the roots, by absolute paths without links. What it puts below a mount
  // point lies on the volume there and is forgotten when that is unmounted.
  void put_directory(const std::string& path) { put(path, EntryKind::kDirectory); }
  void put_file(const std::string& path) { put(path, EntryKind::kFile); }
  void put_link(const std::string& text, const std::string& path) {
    put(path, EntryKind::kLink, text);
  }
  // Something that is no volume, mounted on a directory.
  void put_foreign_mount(const std::string& path);
  // Whether somebody uses what is mounted on a directory.
  void set_busy(const std::string& path, bool busy);

  // Nothing in memory hangs.
  std::string bulkhead_of(const support::PosixPath&) override { return {}; }
  Result<std::vector<std::string>> list(uint32_t disk_number, uint32_t partition_number,
                                        const Deadline& deadline) override;
  Result<bool> is_formatted(const std::string& id) override;
  Result<void> format(const std::string& id, const Deadline& deadline) override;
  Result<void> mount(const std::string& id, const support::PosixPath& target,
                     const Deadline& deadline, const support::WarningLog& warnings) override;
  Result<void> unmount(const std::string& id, const support::PosixPath& target,
                       const Deadline& deadline, const support::WarningLog& warnings) override;
  Result<void> flush(const std::string& id, const support::WarningLog& warnings) override;
  Result<void> resize(const std::string& id, uint64_t size, const Deadline& deadline) override;
  Result<VolumeStats> stats(const std::string& id) override;
  Result<uint32_t> disk_number_of(const std::string& id) override;
  Result<std::string> id_of_mount_point(const support::PosixPath& path,
                                        const Deadline& deadline) override;
  Result<std::string> closest_id(const support::PosixPath& path, const Deadline& deadline) override;

 private:
  enum class EntryKind { kDirectory, kFile, kLink };
  struct Entry {
    EntryKind kind;
    std::string link_text;
  };
  struct Mount {
    std::optional<std::string> id;  // none: no volume
    bool busy = false;
  };
  // By id, and by absolute path.
  using Volumes = std::map<std::string, FakeVolume>;
  using Entries = std::map<std::string, Entry>;
  using Mounts = std::map<std::string, Mount>;

  void put(const std::string& path, EntryKind kind, const std::string& link_text = {});
  // `served`: as long as its disk is online.
  Result<Volumes::value_type*> find(const std::string& id, const char* operation,
                                    bool served = true);
  Result<void> check_online(uint32_t disk_number, const std::string& id,
                            const char* operation) const;
  Result<void> check_formattable(const Volumes::value_type& volume) const;
  Result<void> check_target(const std::string& real, const support::PosixPath& target) const;
  uint64_t largest_size(const FakeVolume& volume) const;
  bool is_mounted(const std::string& id) const;
  bool is_lost(const Mount& mount) const;
  const Mount* mount_above(const std::string& real) const;
  Result<std::string> resolve(const support::PosixPath& path, const char* operation) const;
  // Whether resolve() finds nothing because there is nothing, and no link that leads nowhere.
  bool is_nothing_at(const support::PosixPath& path) const;
  Result<std::string> resolve_target(const support::PosixPath& target, const char* operation) const;

  const support::AllowedRoots roots_;
  mutable std::mutex mutex_;
  std::map<uint32_t, uint64_t> disks_;  // their sizes
  std::set<uint32_t> offline_;
  bool mounts_read_only_disks_ = false;
  Volumes volumes_;
  Entries entries_;
  Mounts mounts_;
};

}  // namespace longshore::volume
