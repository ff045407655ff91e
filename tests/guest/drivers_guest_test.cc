// The sequences of calls of CSI drivers on each kind of disk and on a share: see ../drivers. Each
// driver lives once on each kind without an interruption, and on one kind, some with
// LONGSHORE_LONG=1 only, with a restart of the driver before each row of its table and with a kill
// of the agent before and during each.
#include <catch2/catch.hpp>
#include <iostream>
#include <vector>

#include "tests/drivers/drivers.h"
#include "tests/drivers/lost_disk.h"
#include "tests/drivers/positions.h"
#include "tests/guest/guest_disk_node.h"
#include "tests/guest/guest_share_node.h"
#include "tests/support/is_long.h"

using namespace longshore::test;

namespace {

// Whether the case can run; says why if not.
bool machine_has_disks() {
  if (MachineMonitor::exists()) return true;
  std::cout << "SKIPPED: this guest cannot reach a monitor of its machine\n";
  SUCCEED();
  return false;
}

// The versions that each driver chooses first.
std::vector<Driver> drivers_of_disks() {
  return {azuredisk().front(), aws_ebs().front(), gcp_pd().front(), vsphere().front()};
}

// One driver on each kind of disk but SCSI, where azuredisk lives.
void check_on_other_disks(void (*check)(const Driver&, const Nodes&)) {
  check(aws_ebs().front(), nvme_disk_nodes());
  check(gcp_pd().front(), virtio_disk_nodes());
  check(vsphere().front(), iscsi_disk_nodes());
}

}  // namespace

TEST_CASE("Drivers find a SCSI disk by LUN, serial number and page 83, for a volume's whole life") {
  if (!machine_has_disks()) return;
  check_plain_lives(drivers_of_disks(), scsi_disk_nodes());
  check_plain_lives({gcp_pd().back()}, scsi_disk_nodes());
}

TEST_CASE("Drivers find an NVMe disk by its identifiers, for a volume's whole life") {
  if (!machine_has_disks()) return;
  check_plain_lives(drivers_of_disks(), nvme_disk_nodes());
}

TEST_CASE("Drivers find a virtio disk by its serial number, for a volume's whole life") {
  if (!machine_has_disks()) return;
  check_plain_lives(drivers_of_disks(), virtio_disk_nodes());
}

TEST_CASE("Drivers find a disk of an iSCSI target, for a volume's whole life") {
  if (!machine_has_disks()) return;
  check_plain_lives(drivers_of_disks(), iscsi_disk_nodes());
}

TEST_CASE("csi-driver-smb and azurefile map a share and publish it, for a volume's whole life") {
  check_plain_lives(csi_smb(), share_nodes());
  check_plain_lives(azurefile(), share_nodes());
}

TEST_CASE("A volume whose SCSI disk is pulled out is unpublished and unstaged by every driver") {
  if (!machine_has_disks()) return;
  for (const Driver& driver : drivers_of_disks()) check_lost_disk(driver, scsi_disk_nodes());
}

// What azuredisk falls back on, which lives nowhere else in the guest; with LONGSHORE_LONG=1 one
// driver on each kind of disk.
TEST_CASE("Volumes of disks outlive restarts of the driver before each row") {
  if (!machine_has_disks()) return;
  check_restarts_at_each_row(azuredisk().back(), scsi_disk_nodes());
  if (!is_long()) return;
  check_on_other_disks(check_restarts_at_each_row);
}

TEST_CASE("Volumes of shares outlive restarts of the driver before each row") {
  check_restarts_at_each_row(azurefile().front(), share_nodes());
  if (is_long()) check_restarts_at_each_row(csi_smb().front(), share_nodes());
}

// A kill before and during each row takes minutes: one driver of shares, and with LONGSHORE_LONG=1
// all of them; those of disks are killed on loop disks.
TEST_CASE("Volumes of disks outlive kills of the agent before and during each row") {
  if (!machine_has_disks() || !is_long()) return;
  check_kills_at_each_row(azuredisk().front(), scsi_disk_nodes());
  check_on_other_disks(check_kills_at_each_row);
}

TEST_CASE("Volumes of shares outlive kills of the agent before and during each row") {
  check_kills_at_each_row(csi_smb().front(), share_nodes());
  if (is_long()) check_kills_at_each_row(azurefile().front(), share_nodes());
}
