#include "support/linux/block/block_devices.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "support/linux/block/device_stack.h"
#include "support/linux/block/sysfs.h"

namespace longshore::block {
namespace {

std::string device_text(dev_t device) {
  return std::to_string(major(device)) + ":" + std::to_string(minor(device));
}

// The node's name below /dev: sysfs writes "cciss!c0d0" for "cciss/c0d0".
std::string node_of(std::string name) {
  std::ranges::replace(name, '!', '/');
  return "/dev/" + name;
}

}  // namespace

Result<std::vector<Disk>> BlockDevices::disks() const {
  const std::vector<std::string> names = names_in(sysfs_ + "/block");
  std::vector<Disk> disks;
  for (const std::string& name : names) {
    if (!names_.includes(name)) continue;
    if (auto disk = read_disk(name); disk && disk->sectors > 0) disks.push_back(*std::move(disk));
  }
  if (names.empty() || (disks.empty() && !are_numbered(names))) {
    return Error(StatusCode::kUnavailable, "list the disks")
        .because(names.empty() ? sysfs_ + "/block has no entries"
                               : "the kernel does not number its disks (diskseq)")
        .advise("Linux 5.15 or newer with sysfs mounted is needed");
  }
  std::ranges::sort(disks, {}, &Disk::number);
  return disks;
}

// Every kernel's diskseq is there or none is. A disk that is being taken away tells nothing.
bool BlockDevices::are_numbered(const std::vector<std::string>& names) const {
  const auto has = [this](const char* attribute) {
    return [this, attribute](const std::string& name) {
      return read_number_attribute(sysfs_ + "/block/" + name + "/" + attribute).has_value();
    };
  };
  return std::ranges::any_of(names, has("diskseq")) || std::ranges::none_of(names, has("size"));
}

Result<Disk> BlockDevices::disk(uint32_t number, std::string_view operation) const {
  Result<std::vector<Disk>> all = disks();
  if (!all) return std::move(all).error();
  for (Disk& disk : *all) {
    if (disk.number == number) return std::move(disk);
  }
  return Error(StatusCode::kNotFound, std::string(operation), "disk " + std::to_string(number))
      .because("there is no disk of this number")
      .advise("numbers change when a disk is attached again; list the disks");
}

std::optional<Disk> BlockDevices::disk_of(dev_t device) const {
  const std::string path = sysfs_ + "/dev/block/" + device_text(device);
  std::string name = link_name(path);
  // A partition's directory lies in its disk's.
  if (read_number_attribute(path + "/partition")) {
    const auto disk_device = read_device_attribute(path + "/../dev");
    if (!disk_device) return std::nullopt;
    name = link_name(sysfs_ + "/dev/block/" + device_text(*disk_device));
  }
  if (name.empty() || !names_.includes(name)) return std::nullopt;
  return read_disk(name);
}

bool BlockDevices::serves(std::string_view name) const {
  if (names_.includes(name)) return true;
  std::string_view disk = name.substr(0, name.find_last_not_of("0123456789") + 1);
  if (names_.includes(disk)) return true;
  if (disk.ends_with('p')) disk.remove_suffix(1);
  return names_.includes(disk);
}

std::optional<Disk> BlockDevices::read_disk(const std::string& name) const {
  const std::string path = sysfs_ + "/block/" + name + "/";
  if (!can_be_opened(sysfs_ + "/block/" + name)) return std::nullopt;
  const auto number = read_number_attribute(path + "diskseq");
  const auto sectors = read_number_attribute(path + "size");
  const auto device = read_device_attribute(path + "dev");
  // A number that csi-proxy's 32 bits cannot carry: this disk cannot be addressed.
  if (!number || !sectors || !device || *number > std::numeric_limits<uint32_t>::max()) {
    return std::nullopt;
  }
  Disk disk;
  disk.name = name;
  disk.node = node_of(name);
  disk.number = static_cast<uint32_t>(*number);
  disk.sectors = *sectors;
  disk.read_only = read_number_attribute(path + "ro").value_or(0) != 0;
  disk.device = *device;
  disk.holders = names_in(path + "holders");
  return disk;
}

std::vector<KernelPartition> BlockDevices::partitions(const Disk& disk) const {
  std::vector<KernelPartition> partitions;
  for (const std::string& name : names_in(path_of(disk, ""))) {
    if (!name.starts_with(disk.name)) continue;
    const std::string path = path_of(disk, name) + "/";
    const auto number = read_number_attribute(path + "partition");
    const auto start = read_number_attribute(path + "start");
    const auto sectors = read_number_attribute(path + "size");
    const auto device = read_device_attribute(path + "dev");
    if (!number || !start || !sectors || !device) continue;
    partitions.push_back(
        {.name = name,
         .node = node_of(name),
         .number = static_cast<uint32_t>(*number),
         .start = *start,
         .sectors = *sectors,
         .device = *device,
         .read_only = disk.read_only || read_number_attribute(path + "ro").value_or(0) != 0});
  }
  std::ranges::sort(partitions, {}, &KernelPartition::number);
  return partitions;
}

std::vector<std::string> BlockDevices::disks_beneath(dev_t device) const {
  std::vector<std::string> names;
  for (StackedDisk& disk : stack_of(device, sysfs_)) names.push_back(std::move(disk.name));
  return names;
}

std::string BlockDevices::bulkhead_of(const Disk& disk) const {
  return block::bulkhead_of(disk.device, sysfs_);
}

bool BlockDevices::is_there(const Disk& disk) const {
  return read_number_attribute(path_of(disk, "diskseq")) == disk.number;
}

bool BlockDevices::is_reachable(const Disk& disk) const {
  const auto state = read_text_attribute(path_of(disk, "device/state"));
  return !state || *state == "running" || *state == "live";  // SCSI, NVMe
}

std::string BlockDevices::holder_of(const Disk& disk, std::string_view name) const {
  const bool is_whole = name == disk.name;
  const auto holders = names_in(path_of(disk, is_whole ? "" : name) + "/holders");
  return holders.empty() ? std::string() : holders.front();
}

std::string BlockDevices::path_of(const Disk& disk, std::string_view below) const {
  std::string path = sysfs_ + "/block/" + disk.name;
  if (!below.empty()) path.append("/").append(below);
  return path;
}

}  // namespace longshore::block
