// A disk of which sysfs tells what loop disks never are: made up, with the disk's real content.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/unit/volume/disk_world.h"

namespace longshore::volume {

// A tree like sysfs's with the disk and the partitions that the kernel has of it now.
class Seen {
 public:
  Seen(const Node& node, const test::LoopDisk& disk)
      : root_(node.at("sys")), name_(disk.name()), there_("/sys/block/" + name_) {
    std::filesystem::create_directories(root_ / "dev/block");
    put_device("");
    for (const char* name : {"diskseq", "ro"}) copy(name);
    std::filesystem::create_symlink("anywhere", here("bdi"));
    if (!std::filesystem::exists(there_ / partition())) return;
    put_device(partition() + "/");
    for (const char* name : {"partition", "start"}) copy(partition() + "/" + name);
  }

  std::string root() const { return root_; }
  std::string partition() const { return name_ + "p1"; }

  void put(const std::string& name, const std::string& value) const {
    std::filesystem::create_directories(here(name).parent_path());
    test::write_file(here(name), value);
  }
  std::string read(const std::string& name) const {
    std::ifstream attribute(here(name));
    return {std::istreambuf_iterator<char>(attribute), {}};
  }
  // As SCSI disks have it, whose state can be set.
  void make_scsi() const {
    put("device/state", "running\n");
    std::filesystem::create_symlink("/sys/bus/scsi", here("device/subsystem"));
  }
  // It is pulled out; the node has another, that is not served.
  void remove() const {
    std::filesystem::create_directory(root_ / "block/ram0");
    std::filesystem::remove_all(root_ / "block" / name_);
    std::filesystem::remove_all(root_ / "dev/block");
  }
  // dm-0 is made of the disk ("") or of its partition.
  void put_holder(const std::string& below) const {
    std::filesystem::create_directories(here(below) / "holders/dm-0");
  }

 private:
  std::filesystem::path here(const std::string& name) const {
    return root_ / "block" / name_ / name;
  }
  void copy(const std::string& name) const {
    std::ifstream attribute(there_ / name);
    put(name, {std::istreambuf_iterator<char>(attribute), {}});
  }
  void put_device(const std::string& below) const {
    for (const char* name : {"size", "dev"}) copy(below + name);
    std::string number;
    std::ifstream(here(below + "dev")) >> number;
    const auto directory = below.empty() ? here("").parent_path() : here(below).parent_path();
    std::filesystem::create_directory_symlink(directory, root_ / "dev/block" / number);
  }

  const std::filesystem::path root_;
  const std::string name_;
  const std::filesystem::path there_;
};

}  // namespace longshore::volume
