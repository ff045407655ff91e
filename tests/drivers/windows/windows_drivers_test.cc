// The drivers' tables at the pipes of longshored.exe, on the groups' backends for Windows. What
// Windows is asked there is made up: see node_module.cc.
#include <catch2/catch.hpp>
#include <vector>

#include "tests/drivers/drivers.h"
#include "tests/drivers/lost_disk.h"
#include "tests/drivers/positions.h"
#include "tests/drivers/windows/pipe_node.h"
#include "tests/support/is_long.h"

using namespace longshore::test;

namespace {

// As it is; with the driver's process ending before the first call of each row of its table, with
// LONGSHORE_LONG=1 also before each call; and with the answer of the first call of each row lost.
void check_lives(const std::vector<Driver>& drivers, const Nodes& nodes) {
  check_plain_lives(drivers, nodes);
  if (is_long()) check_driver_restarts(drivers, nodes);
  for (const Driver& driver : drivers) {
    check_restarts_at_each_row(driver, nodes);
    check_lost_answers_at_each_row(driver, nodes);
  }
}

void check_disks(const std::vector<Driver>& drivers) {
  const Nodes nodes = pipe_nodes_with_disk();
  check_lives(drivers, nodes);
  for (const Driver& driver : drivers) check_lost_disk(driver, nodes);
}

}  // namespace

TEST_CASE("azuredisk over pipes: whole lives, restarts, lost answers, a disk that is pulled out") {
  check_disks(azuredisk());
}

TEST_CASE("AWS EBS over pipes: whole lives, restarts, lost answers, a disk that is pulled out") {
  check_disks(aws_ebs());
}

TEST_CASE("GCP PD over pipes: whole lives, restarts, lost answers, a disk that is pulled out") {
  check_disks(gcp_pd());
}

TEST_CASE("vSphere over pipes: whole lives, restarts, lost answers, a disk that is pulled out") {
  check_disks(vsphere());
}

TEST_CASE("csi-driver-smb over pipes: whole lives, restarts and lost answers") {
  check_lives(csi_smb(), pipe_nodes_with_share());
}

TEST_CASE("azurefile over pipes: whole lives, restarts and lost answers") {
  check_lives(azurefile(), pipe_nodes_with_share());
}
