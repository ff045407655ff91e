// The world of the disk group's suite with disks of a Windows that is made up.
#pragma once

#include <chrono>
#include <cstdint>

#include "disk/windows/disk_backend_windows.h"
#include "tests/support/windows/fake_node.h"
#include "tests/support/windows/fake_node_codes.h"
#include "tests/unit/disk/disk_setup.h"

namespace longshore::disk {

class WindowsWorld {
 public:
  explicit WindowsWorld(const Disks& setups = Disks(1)) {
    // None but the world's own disks, which Windows does not run on.
    node_.remove_disk(0);
    node_.needed_instead = support::VolumeFunctions::Names{};
    uint32_t number = 0;
    for (const DiskSetup& setup : setups) {
      test::FakeDisk& disk = node_.disk(++number);
      disk.bytes = setup.bytes;
      if (setup.filesystem) disk.content[1080] = 'S';  // where ext4 says what it is
      if (setup.byte) disk.content[*setup.byte] = 'x';
      disk.write_protected = setup.read_only;
    }
  }

  uint32_t number(size_t place) const { return static_cast<uint32_t>(place) + 1; }
  void grow(size_t place, uint64_t bytes) { node_.grow_disk(number(place), bytes); }
  void pull_out(size_t place) { node_.remove_disk(number(place)); }
  // Somebody has a file open on a volume of it, until release().
  void use(size_t place) {
    test::FakeDisk& disk = node_.disk(number(place));
    disk.style = PARTITION_STYLE_GPT;
    PARTITION_INFORMATION_EX entry{};
    entry.PartitionStyle = PARTITION_STYLE_GPT;
    entry.StartingOffset.QuadPart = 1 << 20;
    entry.PartitionLength.QuadPart = 1 << 20;
    entry.Gpt.PartitionType = test::windows_guid(test::kBasicDataType);
    entry.Gpt.PartitionId.Data1 = number(place);
    disk.entries = {entry};
    node_.volume(number(place)).users = 1;
  }
  void release(size_t place) { node_.volume(number(place)).users = 0; }
  bool has_table(size_t place) { return node_.disk(number(place)).style != PARTITION_STYLE_RAW; }
  DiskBackend& backend() { return backend_; }

 private:
  test::FakeNode node_;
  DiskBackendWindows backend_{node_, node_, node_, {.patience = std::chrono::milliseconds(0)}};
};

}  // namespace longshore::disk
