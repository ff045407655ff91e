// The disk group on disks that the machine around the guest plugs in and pulls out, as a hypervisor
// or a storage network does it to a node.
#include <catch2/catch.hpp>
#include <iostream>
#include <optional>
#include <string>

#include "tests/guest/disk_calls.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/machine_disk.h"
#include "tests/support/read_file.h"

using namespace longshore;
using namespace longshore::test;

namespace {

constexpr const char* kName = "0x5000c50015ea71ac";
constexpr const char* kOtherName = "0x5000c50015ea71ad";
constexpr const char* kPortName = "0x5000c50015ea71ae";

// Whether the case can run; says why if not.
bool has_monitor() {
  if (MachineMonitor::exists()) return true;
  std::cout << "SKIPPED: this guest cannot reach a monitor of its machine\n";
  SUCCEED();
  return false;
}

uint32_t number_of(GuestAgent& agent, const std::string& page83) {
  v1::ListDiskIDsResponse answer = identities(agent);
  for (const auto& [number, ids] : answer.diskids()) {
    if (ids.page83() == page83) return number;
  }
  return 0;
}

}  // namespace

TEST_CASE("A plugged-in disk is known by the first name of its own in page 83") {
  if (!has_monitor()) return;
  MachineMonitor monitor;
  GuestAgent agent;
  struct Row {
    MachineDiskSetup setup;
    std::string page83;
  };
  const Row rows[] = {
      {{.wwn = kName}, "5000c50015ea71ac"},
      {{.device_id = "Letters and spaces"}, "Letters and spaces"},
      {{.device_id = "first", .wwn = kName}, "first"},
      {{.device_id = "\u00e9", .wwn = kName}, "c3a9"},
      // The machine puts the serial number first for who gives no other text.
      {{.serial = "S-1", .wwn = kName}, "S-1"},
      // A name of the port is none of the disk.
      {{.wwn = kName, .port_wwn = kPortName}, "5000c50015ea71ac"},
      {{.device_id = std::string(200, 'x'), .port_wwn = kPortName}, std::string(200, 'x')},
  };
  for (const Row& row : rows) {
    const MachineDisk disk(monitor, row.setup);
    CAPTURE(row.page83);
    const v1::DiskIDs ids = identities(agent).diskids().at(disk.number());
    CHECK(ids.page83() == row.page83);
    CHECK(ids.serial_number() == row.setup.serial);
  }
}

TEST_CASE("A disk of which only the port has a name has no name", "[thorough]") {
  if (!has_monitor()) return;
  MachineMonitor monitor;
  GuestAgent agent;
  const MachineDisk disk(monitor, {.port_wwn = kPortName});
  CHECK(!disk.attribute("vpd_pg83").empty());
  const v1::DiskIDs ids = identities(agent).diskids().at(disk.number());
  CHECK(ids.page83() == "");
  CHECK(ids.serial_number() == "");
}

TEST_CASE("A disk keeps its names, and gets a new number, when it comes back", "[thorough]") {
  if (!has_monitor()) return;
  MachineMonitor monitor;
  GuestAgent agent;
  const MachineDisk other(monitor, {.store = 1, .wwn = kOtherName});
  uint32_t before = 0;
  for (int round = 0; round < 3; ++round) {
    MachineDisk disk(monitor, {.wwn = kName});
    CHECK(disk.number() != before);
    before = disk.number();
    CHECK(number_of(agent, "5000c50015ea71ac") == disk.number());
    CHECK(number_of(agent, "5000c50015ea71ad") == other.number());
    CHECK(partition(agent, disk)->code() == StatusCode::kOk);
    disk.pull_out();
    CHECK(number_of(agent, "5000c50015ea71ac") == 0);
    CHECK(partition(agent, disk)->code() == StatusCode::kNotFound);
  }
}

TEST_CASE("A disk that its machine makes larger is as large without a rescan") {
  if (!has_monitor()) return;
  MachineMonitor monitor;
  GuestAgent agent;
  MachineDisk disk(monitor, {.wwn = kName});
  CHECK(size_of(agent, disk) == 64 * kMebibyte);
  disk.resize(96 * kMebibyte);
  CHECK(eventually([&] { return size_of(agent, disk) == 96 * kMebibyte; }));
}

TEST_CASE("A disk with sectors of 4096 bytes gets its partition, once", "[thorough]") {
  if (!has_monitor()) return;
  MachineMonitor monitor;
  GuestAgent agent;
  const MachineDisk disk(monitor, {.sector_bytes = 4096, .wwn = kName});
  for (int round = 0; round < 2; ++round) {
    const auto answer = partition(agent, disk);
    CAPTURE(answer->text());
    CHECK(answer->code() == StatusCode::kOk);
    // The kernel counts in 512 bytes whatever the disk does.
    CHECK(read_file("/sys/class/block/" + disk.name() + "1/start") == "2048\n");
    CHECK(read_file("/sys/class/block/" + disk.name() + "2/start") == "");
  }
}

TEST_CASE("A disk without room for a partition stays as it is", "[thorough]") {
  if (!has_monitor()) return;
  MachineMonitor monitor;
  GuestAgent agent;
  // Some are refused the table, some what is to be in it.
  for (const int64_t sectors : {1, 5, 6, 34, 68, 100}) {
    CAPTURE(sectors);
    MachineDisk disk(monitor, {.wwn = kName});
    disk.resize(sectors * 512);
    CHECK(eventually([&] { return size_of(agent, disk) == sectors * 512; }));
    const auto answer = partition(agent, disk);
    CAPTURE(answer->text());
    const bool has_room = sectors == 100;
    CHECK(answer->code() == (has_room ? StatusCode::kOk : StatusCode::kFailedPrecondition));
    const std::string content = read_file("/dev/" + disk.name());
    CHECK(content.size() == static_cast<size_t>(sectors * 512));
    CHECK((content == std::string(content.size(), '\0')) != has_room);
  }
}

TEST_CASE("A disk that fails is an error that says so, and an agent that goes on", "[thorough]") {
  if (!has_monitor()) return;
  MachineMonitor monitor;
  GuestAgent agent;
  for (const std::string fails : {"read", "write", "flush"}) {
    const MachineDisk disk(monitor, {.fails = fails, .wwn = kName});
    CHECK(number_of(agent, "5000c50015ea71ac") == disk.number());
    const auto answer = partition(agent, disk);
    CAPTURE(fails, answer->text());
    CHECK(answer->code() != StatusCode::kOk);
    CHECK(answer->text().find("Input/output error") != std::string::npos);
  }
  const MachineDisk disk(monitor, {.wwn = kName});
  CHECK(number_of(agent, "5000c50015ea71ac") == disk.number());
  const auto answer = partition(agent, disk);
  CAPTURE(answer->text());
  CHECK(answer->code() == StatusCode::kOk);
}

TEST_CASE("A disk that is pulled out in the middle of calls is an error, not an end",
          "[thorough]") {
  if (!has_monitor()) return;
  MachineMonitor monitor;
  GuestAgent agent;
  for (int round = 0; round < 3; ++round) {
    MachineDisk disk(monitor, {.wwn = kName});
    TestClient client(agent.socket("disk", "v1"));
    const auto answer = client.start("v1.Disk/PartitionDisk",
                                     about<v1::PartitionDiskRequest>(disk).SerializeAsString());
    disk.pull_out();
    CHECK(client.run_until([&] { return answer->finished(); }));
    CAPTURE(answer->text());
    CHECK(answer->code() != StatusCode::kUnavailable);
    CHECK(number_of(agent, "5000c50015ea71ac") == 0);
  }
}
