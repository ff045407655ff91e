// The two worlds that the suite of the disk group runs in: disks made of files, and the fake.
//
// Each has the disks that a test describes, by their places in its list.
#pragma once

#include <cstdint>
#include <deque>
#include <fstream>
#include <string>
#include <vector>

#include "disk/disk_service.h"
#include "disk/linux/disk_backend_linux.h"
#include "support/linux/block/disk_names.h"
#include "tests/support/loop_disk.h"
#include "tests/unit/disk/disk_backend_fake.h"

namespace longshore::disk {

// A disk as the suite describes it.
struct DiskSetup {
  uint64_t bytes = uint64_t{64} << 20;
  bool filesystem = false;  // on the whole disk
  bool read_only = false;
};
using Disks = std::vector<DiskSetup>;

class RealWorld {
 public:
  explicit RealWorld(const Disks& setups = Disks(1))
      : disks_(make_disks(setups)), backend_(names()) {}

  uint32_t number(size_t place) const { return disks_.at(place).number(); }
  void grow(size_t place, uint64_t bytes) { disks_.at(place).grow(bytes); }
  void pull_out(size_t place) { disks_.at(place).clear(); }
  // Whether a partition table can be seen: GPT's signature in the second sector.
  bool has_table(size_t place) const {
    std::ifstream node(disks_.at(place).node(), std::ios::binary);
    std::string signature(8, '\0');
    return node.seekg(512) && node.read(signature.data(), 8) && signature == "EFI PART";
  }
  DiskBackend& backend() { return backend_; }

 private:
  static std::deque<test::LoopDisk> make_disks(const Disks& setups) {
    std::deque<test::LoopDisk> disks;
    for (const DiskSetup& setup : setups) {
      disks.emplace_back(setup.bytes, test::LoopDisk::Options{512, setup.read_only});
      if (setup.filesystem) disks.back().make_filesystem();
    }
    return disks;
  }

  // None but the world's own disks.
  block::DiskNames names() const {
    std::vector<std::string> names;
    for (const test::LoopDisk& disk : disks_) names.push_back(disk.name());
    return *block::DiskNames::from(names);
  }

  std::deque<test::LoopDisk> disks_;
  DiskBackendLinux backend_;
};

class FakeWorld {
 public:
  explicit FakeWorld(const Disks& setups = Disks(1)) {
    for (const DiskSetup& setup : setups) {
      FakeDisk disk;
      disk.size = setup.bytes;
      if (setup.filesystem) disk.content = FakeDisk::Content::kSomethingElse;
      disk.read_only = setup.read_only;
      disk.can_be_offline = false;  // as loop devices are
      backend_.put(++last_, disk);
    }
  }

  uint32_t number(size_t place) const { return static_cast<uint32_t>(place) + 1; }
  void grow(size_t place, uint64_t bytes) {
    FakeDisk disk = *backend_.inspect(number(place));
    disk.size = bytes;
    backend_.put_unseen(number(place), disk);
  }
  void pull_out(size_t place) { backend_.remove(number(place)); }
  bool has_table(size_t place) const {
    return backend_.inspect(number(place))->content == FakeDisk::Content::kTable;
  }
  DiskBackend& backend() { return backend_; }

 private:
  DiskBackendFake backend_;
  uint32_t last_ = 0;
};

}  // namespace longshore::disk
