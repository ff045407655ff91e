// The node of a driver in the guest, with one disk of a kind that a kernel of one's own can have:
// see ../drivers/driver_node.h.
//
// Beside it lies a SCSI disk that is not the volume's, so that a driver that takes the wrong one is
// found out.
//
// Threads: one. Needs MachineMonitor::exists(). One at a time in a guest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tests/drivers/linux/node_files_linux.h"
#include "tests/drivers/positions.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/machine_disk.h"

namespace longshore::test {

// A disk that was just plugged in, blank. Pulled out at its end.
class VolumeDisk {
 public:
  virtual ~VolumeDisk() = default;

  virtual const std::string& name() const = 0;  // "sda"
  // As whoever made the disk knows it.
  virtual DiskIdentity identity() const = 0;
  virtual bool can_grow() const { return true; }
  virtual void grow(int64_t) {}
  // Of what the machine plugs in; an iSCSI session that ends with its disk in use does not end.
  virtual void pull_out() {}
};
// The agent is for disks that it brings.
using PlugIn = std::function<std::unique_ptr<VolumeDisk>(MachineMonitor&, GuestAgent&)>;

class GuestDiskNode final : public DriverNode {
 public:
  GuestDiskNode(PlugIn plug_in, const GuestAgentSetup& setup);
  ~GuestDiskNode() override;

  std::string socket(const std::string& group, const std::string& version) const override {
    return agent_.socket(group, version);
  }
  std::string root() const override { return agent_.root(); }
  NodeFiles& files() override { return files_; }
  void kill_and_start_agent() override { agent_.kill_and_start_again(); }

  // Another disk comes in the place of the last.
  void begin() override;
  VolumeContext volume() const override { return {.disk = disk_->identity()}; }
  int64_t bytes() const override { return bytes_; }
  bool can_grow() const override { return disk_ != nullptr && disk_->can_grow(); }
  // Until the kernel knows: no driver but azuredisk, AWS EBS and vSphere calls Rescan.
  void grow(int64_t bytes) override;
  void lose_disk() override { disk_->pull_out(); }
  bool may_be_slow() const override { return true; }  // an emulated processor, beside other tests
  std::string log() const override { return agent_.log(); }

 private:
  void clean_root() const;

  const PlugIn plug_in_;
  MachineMonitor monitor_;
  GuestAgent agent_;
  MachineDisk other_;
  LinuxFiles files_;
  std::unique_ptr<VolumeDisk> disk_;
  int64_t bytes_ = 0;
};

Nodes scsi_disk_nodes();
Nodes nvme_disk_nodes();
Nodes virtio_disk_nodes();
// A disk of an iSCSI target of the kernel's (LIO), to which the agent's iscsi group connects.
Nodes iscsi_disk_nodes();

}  // namespace longshore::test
