// A tree like sysfs's, in a temporary directory: what a test needs of disks it does not have.
#pragma once

#include <sys/sysmacros.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "support/linux/block/block_devices.h"
#include "tests/support/temporary_directory.h"

namespace longshore::block {

class FakeSysfs {
 public:
  FakeSysfs() {
    for (const char* name : {"block", "dev/block", "devices"}) {
      std::filesystem::create_directories(directory_.path() / name);
    }
  }

  std::string root() const { return directory_.path(); }

  // An attribute of a disk or, by "sda/sda1/start", of a partition.
  void put(const std::string& name, const std::string& value) const {
    const std::filesystem::path path = directory_.path() / "devices" / name;
    std::filesystem::create_directories(path.parent_path());
    test::write_file(path, value);
  }
  void remove(const std::string& name) const {
    std::filesystem::remove(directory_.path() / "devices" / name);
  }
  // A link of a disk to another place, of which only the last name counts.
  void put_link(const std::string& name, const std::string& leads_to) const {
    const std::filesystem::path path = directory_.path() / "devices" / name;
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::create_directory_symlink(leads_to, path);
  }

  // In the kernel's order: the last makes it one that can be opened.
  void put_disk(const std::string& name, const std::string& diskseq, const std::string& device,
                const std::string& sectors = "131072") const {
    put(name + "/diskseq", diskseq + "\n");
    put(name + "/size", sectors + "\n");
    put(name + "/dev", device + "\n");
    std::filesystem::create_directory_symlink("../devices/" + name, root() + "/block/" + name);
    put_device(device, name);
    put_link(name + "/bdi", "../../bdi/" + device);
  }
  void put_partition(const std::string& disk, const std::string& name, uint32_t number,
                     const std::string& device) const {
    const std::string path = disk + "/" + name;
    put(path + "/partition", std::to_string(number) + "\n");
    put(path + "/start", std::to_string(2048 * number) + "\n");
    put(path + "/size", "2048\n");
    put(path + "/dev", device + "\n");
    put_device(device, path);
  }
  // As the kernel takes a disk away. Somebody may read it meanwhile.
  void pull_out(const std::string& name, const std::string& device) const {
    remove(name + "/bdi");
    std::filesystem::remove(root() + "/block/" + name);
    std::filesystem::remove(root() + "/dev/block/" + device);
    std::filesystem::remove_all(directory_.path() / "devices" / name);
  }
  // `upper` is made of `lower`, a disk or a partition: "dm-0", "sda/sda1".
  void put_holder(const std::string& lower, const std::string& upper) const {
    const std::string name = std::filesystem::path(lower).filename();
    put_link(lower + "/holders/" + upper, root() + "/devices/" + upper);
    put_link(upper + "/slaves/" + name, root() + "/devices/" + lower);
  }

 private:
  void put_device(const std::string& device, const std::string& path) const {
    std::filesystem::create_directory_symlink("../../devices/" + path,
                                              root() + "/dev/block/" + device);
  }

  const test::TemporaryDirectory directory_;
};

inline BlockDevices devices_in(const FakeSysfs& sysfs, const std::string& pattern = "sd*") {
  return BlockDevices(*DiskNames::from({pattern}), sysfs.root());
}

// A disk of which nothing but the name counts.
inline Disk disk_named(const std::string& name) {
  Disk disk;
  disk.name = name;
  return disk;
}

}  // namespace longshore::block
