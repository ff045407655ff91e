// A Windows node with disks and volumes that are made up: the layers of modules/support/windows,
// for tests of what stands above them.
//
// Its answers are structures laid out as Windows documents them. A test changes what a disk is, and
// can put another answer, true or not, in place of any.
//
// Threads: one lock; what is public is set before calls are made.
#pragma once

#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/windows/device_control.h"
#include "support/windows/volume_functions.h"
#include "support/windows/wmi.h"
#include "tests/support/windows/fake_descriptors.h"

namespace longshore::test {

struct FakeDisk {
  uint64_t bytes = uint64_t{64} << 20;
  std::map<uint64_t, char> content;  // what is not zero
  DWORD style = PARTITION_STYLE_RAW;
  GUID disk_id{};
  DWORD signature = 0;
  std::vector<PARTITION_INFORMATION_EX> entries;
  // Of a GPT, as Windows has it: as large as the disk was when it last looked.
  uint64_t usable_start = 0;
  uint64_t usable_length = 0;
  bool offline = false;
  bool read_only = false;                               // Windows' attribute
  bool write_protected = false;                         // the hardware's switch
  bool stays_offline = false;                           // whatever it is told
  std::optional<uint64_t> unseen_bytes = std::nullopt;  // its size after a rescan
  std::string id_descriptor;                            // STORAGE_DEVICE_ID_DESCRIPTOR
  std::string device_descriptor;                        // STORAGE_DEVICE_DESCRIPTOR
  std::string scsi_address;                             // SCSI_ADDRESS
};

// What is on a data partition that Windows has a volume of.
struct FakeVolume {
  std::string filesystem;  // "": none
  uint32_t serial_number = 0;
  uint64_t filesystem_bytes = 0;
  uint64_t used = 0;
  bool is_dirty = false;
  int users = 0;  // who has something open there
  std::vector<std::wstring> paths;
  size_t flushes = 0;
};

class FakeNode final : public support::DeviceControl,
                       public support::VolumeFunctions,
                       public support::Wmi {
 public:
  using Place = std::pair<uint32_t, uint64_t>;  // a volume's disk, and where on it it begins
  using Answer = support::Device::Answer;

  // Windows itself is on this disk, with a volume of its own, "C:\".
  explicit FakeNode(uint32_t system_disk = 0);

  FakeDisk& disk(uint32_t number) { return disks_[number]; }
  bool has_disk(uint32_t number) const { return disks_.contains(number); }
  void remove_disk(uint32_t number);
  // Seen after the next rescan.
  void grow_disk(uint32_t number, uint64_t bytes) { disks_.at(number).unseen_bytes = bytes; }
  // What lies on the disk's data partition, its only one.
  FakeVolume& volume(uint32_t disk);
  std::wstring volume_name(uint32_t disk) const;
  std::optional<Place> place_of(const std::wstring& volume_name) const;

  // In place of the node's own answer, where it gives one.
  std::function<std::optional<Answer>(const std::wstring& path, uint32_t code)> answer_instead;
  // Of every volume that is opened to be written to.
  std::error_code open_instead;
  // In place of the interfaces of all disks.
  std::optional<Interfaces> interfaces_instead;
  std::optional<Names> volumes_instead;
  std::optional<Names> needed_instead;
  std::optional<Result<support::WmiObject>> method_instead;
  // Where else volumes are mounted, as somebody keeps a tree of directories.
  std::function<std::vector<std::wstring>(const std::wstring& volume)> directories_of;
  // Volumes of Windows' that lie on no disk.
  std::vector<std::wstring> other_volumes;

  // What was asked for by a control code, in order.
  std::vector<uint32_t> asked;
  std::vector<std::string> methods_called;

  // DeviceControl
  Opened open(const std::wstring& path, Access access) override;
  Interfaces disk_interfaces() override;

  // VolumeFunctions
  Names volumes() override;
  Names mount_paths(const std::wstring& volume) override;
  Name volume_at(const std::wstring& mount_path) override;
  Filesystem filesystem(const std::wstring& volume) override;
  Space space(const std::wstring& volume) override;
  Names needed_volumes() override;

  // Wmi
  Result<std::vector<support::WmiObject>> query(const std::string& name_space,
                                                const std::string& query,
                                                const Deadline& deadline) override;
  Result<support::WmiObject> call(const std::string& name_space, const std::string& object,
                                  const std::string& method, const support::WmiObject& arguments,
                                  const Deadline& deadline) override;

 private:
  class DiskHandle;
  class VolumeHandle;

  Answer control_disk(uint32_t number, uint32_t code, std::string_view request);
  Answer control_volume(const Place& place, uint32_t code, std::string_view request);
  Answer read_disk(uint32_t number, uint64_t offset, size_t size);
  Answer create_disk(FakeDisk& disk, std::string_view request);
  Answer set_layout(FakeDisk& disk, std::string_view request);
  Answer grow_partition(FakeDisk& disk, std::string_view request);
  Answer set_attributes(FakeDisk& disk, std::string_view request);
  Answer layout_of(const FakeDisk& disk) const;
  void see_sizes();
  void see_size(FakeDisk& disk);
  // The data partitions of disks that are online.
  std::vector<Place> places() const;
  const PARTITION_INFORMATION_EX* partition_at(const Place& place) const;
  std::wstring name_of(const Place& place) const;

  const uint32_t system_disk_;
  mutable std::recursive_mutex mutex_;
  std::map<uint32_t, FakeDisk> disks_;
  std::map<Place, FakeVolume> volumes_;
  std::set<Place> locked_;
};

// An error of Windows'.
std::error_code windows_code(DWORD code);

}  // namespace longshore::test
