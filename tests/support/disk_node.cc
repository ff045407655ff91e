#include "tests/support/disk_node.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "support/linux/block/device_content.h"
#include "tests/support/build_tree.h"
#include "tests/support/capability.h"
#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"

namespace longshore::test {
namespace {

namespace fs = std::filesystem;

// contained.cc made sysfs read-only, and Rescan writes there. Where that cannot be undone it was so
// before.
void open_sysfs() {
  mount_attr open{};
  open.attr_clr = MOUNT_ATTR_RDONLY;
  ::mount_setattr(AT_FDCWD, "/sys", 0, &open, sizeof(open));
}

std::string id_and(const std::string& id, const std::string& target) {
  return WireWriter().text(1, id).text(2, target);
}

}  // namespace

DiskNode::DiskNode(const DiskNodeSetup& setup) : run_(fs::temp_directory_path() / "run") {
  open_sysfs();
  std::string names;
  for (size_t place = 0; place < setup.disks; ++place) {
    const LoopDiskOptions options{.file = place == 0 ? setup.first_file : ""};
    names += (place == 0 ? "\"" : ", \"") + disks_.emplace_back(setup.bytes, options).name() + "\"";
    writable_nodes_.emplace_back(disks_.back().node());
  }
  const std::string isolation = setup.isolated
                                    ? "isolation = \"process\"\nprocess.restart_max = 1000\n"
                                      "process.restart_delay_max = \"1ms\"\n"
                                    : "";
  const std::string roots = "settings.allowed_roots = [\"" + directory_.root() + "\"]\n";
  const std::string files =
      setup.files.empty() ? "" : "[modules.filesystem]\n" + isolation + roots + setup.files;
  directory_.write_configuration(
      "[agent]\nrun_dir = \"" + run_ + "\"\ncontrol_dir = \"" + (directory_ / "control") +
      "\"\nstate_dir = \"" + (directory_ / "state") + "\"\nmodule_dirs = [\"" + built_modules() +
      "\"]\nstop_timeout = \"60s\"\n" + "[modules.disk]\n" + isolation +
      "call_timeout = \"5m\"\nsettings.disk_names = [" + names + "]\n[modules.volume]\n" +
      isolation + "call_timeout = \"5m\"\nsettings.disk_names = [" + names + "]\n" + roots +
      "settings.filesystem = \"" + setup.filesystem + "\"\nsettings.mkfs_directory = \"" +
      setup.mkfs_directory + "\"\n" + setup.volumes + files + setup.more);
}

DiskNode::~DiskNode() {
  unmount_all();
  std::error_code ignored;
  fs::remove_all(run_, ignored);
}

void DiskNode::unmount_all() const {
  auto left = mounts();
  std::reverse(left.begin(), left.end());
  for (const auto& mount : left) ::umount2(mount.point.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH);
}

std::string DiskNode::growing_filesystem() {
  if (has_capability(CAP_SYS_RESOURCE)) return "ext4";
  std::ifstream list("/proc/filesystems");
  for (std::string word; list >> word;) {
    if (word == "btrfs" && fs::exists("/usr/sbin/mkfs.btrfs")) return word;
  }
  return "";
}

std::string DiskNode::socket(const std::string& group, const std::string& version) const {
  const std::string name = group + "-" + version;
  return run_ + "/csi-proxy/" + name + "/csi-proxy-" + name + ".sock";
}

std::string DiskNode::make_target(const std::string& name) const {
  const std::string target = directory_.root() + "/" + name;
  fs::create_directories(target);
  return target;
}

std::vector<support::Mount> DiskNode::mounts() const {
  auto mounts = support::read_mounts();
  if (!mounts) throw std::runtime_error(mounts.error().message());
  std::erase_if(*mounts, [&](const support::Mount& mount) {
    return !mount.point.starts_with(directory_.root() + "/");
  });
  return *std::move(mounts);
}

std::string DiskNode::filesystem_uuid(size_t place) const {
  const FileDescriptor opened(::open(partition_node(place).c_str(), O_RDONLY | O_CLOEXEC));
  uint64_t size = 0;
  if (!opened || ::ioctl(opened.get(), BLKGETSIZE64, &size) != 0) {
    throw std::runtime_error("cannot open " + partition_node(place));
  }
  const auto content = block::read_content(opened, {0, size}, partition_node(place));
  if (!content || content->uuid.empty()) {
    throw std::runtime_error("there is no filesystem on " + partition_node(place));
  }
  return content->uuid;
}

DiskClient::Called DiskClient::partition(uint32_t disk) {
  return disks_.call("v1.Disk/PartitionDisk", WireWriter().number(1, disk));
}

DiskClient::Called DiskClient::set_online(uint32_t disk, bool online) {
  return disks_.call("v1.Disk/SetDiskState",
                     WireWriter().number(1, disk).number(2, online ? 1 : 0));
}

DiskClient::Called DiskClient::list(uint32_t disk) {
  return volumes_.call("v1.Volume/ListVolumesOnDisk", WireWriter().number(1, disk));
}

DiskClient::Called DiskClient::is_formatted(const std::string& id) {
  return volumes_.call("v1.Volume/IsVolumeFormatted", WireWriter().text(1, id));
}

DiskClient::Called DiskClient::format(const std::string& id) {
  return volumes_.call("v1.Volume/FormatVolume", WireWriter().text(1, id));
}

DiskClient::Called DiskClient::mount(const std::string& id, const std::string& target) {
  return volumes_.call("v1.Volume/MountVolume", id_and(id, target));
}

DiskClient::Called DiskClient::unmount(const std::string& id, const std::string& target) {
  return volumes_.call("v1.Volume/UnmountVolume", id_and(id, target));
}

DiskClient::Called DiskClient::resize(const std::string& id, uint64_t bytes) {
  return volumes_.call("v1.Volume/ResizeVolume", WireWriter().text(1, id).number(2, bytes));
}

DiskClient::Called DiskClient::stats(const std::string& id) {
  return volumes_.call("v1.Volume/GetVolumeStats", WireWriter().text(1, id));
}

DiskClient::Called DiskClient::flush(const std::string& id) {
  return volumes_.call("v1.Volume/WriteVolumeCache", WireWriter().text(1, id));
}

bool DiskClient::await_closed() {
  for (TestClient* client : {&disks_, &volumes_}) {
    if (client->run_until([&] { return client->closed(); }, std::chrono::seconds(1))) return true;
  }
  return false;
}

std::vector<std::string> ids_in(const DiskClient::Called& answer) {
  if (answer->messages.size() != 1) throw std::runtime_error("an answer without a message");
  return WireReader(answer->messages.front()).texts(1);
}

}  // namespace longshore::test
