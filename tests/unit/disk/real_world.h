// The world of the disk group's suite that is made of files: loop disks, with the backend for
// Linux.
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <deque>
#include <fstream>
#include <string>
#include <vector>

#include "disk/linux/disk_backend_linux.h"
#include "longshore/linux/file_descriptor.hpp"
#include "support/linux/block/disk_names.h"
#include "tests/support/disk_content.h"
#include "tests/support/loop_disk.h"
#include "tests/unit/disk/disk_setup.h"

namespace longshore::disk {

class RealWorld {
 public:
  explicit RealWorld(const Disks& setups = Disks(1))
      : disks_(make_disks(setups)), backend_({.disk_names = names()}) {}

  uint32_t number(size_t place) const { return disks_.at(place).number(); }
  void grow(size_t place, uint64_t bytes) { disks_.at(place).grow(bytes); }
  void pull_out(size_t place) { disks_.at(place).clear(); }
  // Somebody has it for himself, as mounts and dm do, until release().
  void use(size_t place) {
    user_ = FileDescriptor(::open(disks_.at(place).node().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
  }
  void release(size_t) { user_ = {}; }
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
      if (setup.byte) test::write_bytes(disks.back().node(), *setup.byte, "x");
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
  FileDescriptor user_;
  DiskBackendLinux backend_;
};

}  // namespace longshore::disk
