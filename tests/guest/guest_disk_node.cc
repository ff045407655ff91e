#include "tests/guest/guest_disk_node.h"

#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "iscsi/v1alpha2.pb.h"
#include "support/linux/mount_table.h"
#include "tests/guest/lio_target.h"
#include "tests/guest/new_disk.h"
#include "tests/support/may_unmount.h"
#include "tests/support/read_file.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kVolumeBytes = 64 * kMebibyte;

constexpr const char* kSwitchedOff = "enabled = false\n";
constexpr const char* kSerial = "vol0a1b2c3d4e5f";

int64_t size_of_disk(const std::string& name) {
  return std::stoll(read_file("/sys/class/block/" + name + "/size")) * 512;
}

// A line of sysfs.
std::string attribute_of(const std::string& name, const std::string& attribute) {
  const std::string text = read_file("/sys/class/block/" + name + "/" + attribute);
  return text.substr(0, text.find_last_not_of("\n ") + 1);
}

// What the machine around the guest plugs in.
class MachineVolumeDisk final : public VolumeDisk {
 public:
  MachineVolumeDisk(MachineMonitor& monitor, const MachineDiskSetup& setup)
      : disk_(monitor, setup), setup_(setup) {}

  const std::string& name() const override { return disk_.name(); }
  DiskIdentity identity() const override {
    DiskIdentity identity = {.number = disk_.number(), .serial = setup_.serial};
    if (setup_.kind == "scsi-hd") {
      identity.lun = std::to_string(setup_.lun);
      identity.page83 = setup_.device_id;
    } else if (setup_.kind == "nvme") {
      identity.page83 = attribute_of(name(), "wwid");
    }
    return identity;
  }
  // QEMU's NVMe does not tell.
  bool can_grow() const override { return setup_.kind != "nvme"; }
  void grow(int64_t bytes) override { disk_.resize(bytes); }
  void pull_out() override { disk_.pull_out(); }

 private:
  MachineDisk disk_;
  const MachineDiskSetup setup_;
};

class IscsiVolumeDisk final : public VolumeDisk {
 public:
  explicit IscsiVolumeDisk(GuestAgent& agent) : agent_(agent), target_(iscsi::TargetSetup{}) {
    const auto before = disk_names();
    must(call<v1alpha2::AddTargetPortalRequest>("AddTargetPortal"));
    must(call<v1alpha2::ConnectTargetRequest>("ConnectTarget"));
    name_ = await_new_disk(before);
  }
  ~IscsiVolumeDisk() override {
    try {
      call<v1alpha2::DisconnectTargetRequest>("DisconnectTarget");
      call<v1alpha2::RemoveTargetPortalRequest>("RemoveTargetPortal");
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
    }
  }

  const std::string& name() const override { return name_; }
  // LIO makes the disk's name (NAA) and its serial number of one text.
  DiskIdentity identity() const override {
    const std::string wwid = attribute_of(name_, "device/wwid");
    require(wwid.starts_with("naa."), "the kernel knows the disk as " + wwid);
    return {.number = disk_number(name_),
            .lun = "0",
            .page83 = wwid.substr(4),
            .serial = target_.name().substr(target_.name().find(':') + 1)};
  }
  // LIO does not tell.
  void grow(int64_t bytes) override {
    target_.grow_disk(0, static_cast<uint64_t>(bytes));
    write_file("/sys/class/block/" + name_ + "/device/rescan", "1");
  }

 private:
  template <typename Request>
  std::shared_ptr<Answer> call(const std::string& method) {
    Request request;
    request.mutable_target_portal()->set_target_address(LioTarget::kAddress);
    request.mutable_target_portal()->set_target_port(LioTarget::kPort);
    if constexpr (requires { request.set_iqn(""); }) request.set_iqn(target_.name());
    return agent_.call("iscsi", "v1alpha2.Iscsi/" + method, request);
  }
  static void must(const std::shared_ptr<Answer>& answer) {
    require(answer->code() == StatusCode::kOk, answer->text());
  }

  GuestAgent& agent_;
  LioTarget target_;
  std::string name_;
};

PlugIn from_machine(const MachineDiskSetup& setup) {
  return [setup](MachineMonitor& monitor, GuestAgent&) {
    return std::make_unique<MachineVolumeDisk>(monitor, setup);
  };
}

// Without what no driver of disks calls: each module costs time when an agent starts.
GuestAgentSetup setup_of_agent(const std::string& iscsi) {
  return {.settings = iscsi, .smb = kSwitchedOff, .files = kMayUnmount};
}

Nodes nodes_with(const PlugIn& plug_in, const std::string& iscsi = kSwitchedOff) {
  return {.usual = [plug_in, iscsi] {
    return std::make_unique<GuestDiskNode>(plug_in, setup_of_agent(iscsi));
  }};
}

}  // namespace

GuestDiskNode::GuestDiskNode(PlugIn plug_in, const GuestAgentSetup& setup)
    : plug_in_(std::move(plug_in)),
      agent_(setup),
      other_(
          monitor_,
          {.store = 1, .serial = "vol0a1b2c3d4e60", .lun = 1, .device_id = "Google pd-0a1b2c3e"}) {}

GuestDiskNode::~GuestDiskNode() {
  try {
    clean_root();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
}

// A life that failed may have left anything.
void GuestDiskNode::begin() {
  clean_root();
  disk_.reset();
  disk_ = plug_in_(monitor_, agent_);
  bytes_ = kVolumeBytes;
  require(size_of_disk(disk_->name()) == bytes_, "the disk has another size");
}

void GuestDiskNode::clean_root() const {
  auto mounts = support::read_mounts();
  require(static_cast<bool>(mounts), "the list of mounts cannot be read");
  std::ranges::reverse(*mounts);
  for (const support::Mount& mount : *mounts) {
    if (!mount.point.starts_with(root() + "/")) continue;
    ::umount2(mount.point.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH);
  }
  for (const auto& entry : fs::directory_iterator(root())) fs::remove_all(entry);
}

void GuestDiskNode::grow(int64_t bytes) {
  bytes_ = bytes;
  disk_->grow(bytes);
  require(eventually([&] { return size_of_disk(disk_->name()) == bytes; }),
          "the kernel does not hear that the disk has grown");
}

Nodes scsi_disk_nodes() {
  return nodes_with(from_machine({.serial = kSerial, .lun = 3, .device_id = "Google pd-0a1b2c3d"}));
}
Nodes nvme_disk_nodes() { return nodes_with(from_machine({.kind = "nvme", .serial = kSerial})); }
Nodes virtio_disk_nodes() {
  return nodes_with(from_machine({.kind = "virtio-blk-pci", .serial = kSerial}));
}
Nodes iscsi_disk_nodes() {
  return nodes_with(
      [](MachineMonitor&, GuestAgent& agent) { return std::make_unique<IscsiVolumeDisk>(agent); },
      "");
}

}  // namespace longshore::test
