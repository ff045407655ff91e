// The disk group on SCSI disks of a real kernel. "csi-proxy 1" is the case with that number in
// csi-proxy's integration tests.
#include <catch2/catch.hpp>
#include <cctype>
#include <fstream>
#include <string>
#include <thread>

#include "tests/guest/disk_calls.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/scsi_disk.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

bool is_online(GuestAgent& agent, const ScsiDisk& disk) {
  return agent
      .get<v1::GetDiskStateResponse>("disk", "v1.Disk/GetDiskState",
                                     about<v1::GetDiskStateRequest>(disk))
      .is_online();
}

std::shared_ptr<Answer> set_online(GuestAgent& agent, const ScsiDisk& disk, bool online) {
  auto request = about<v1::SetDiskStateRequest>(disk);
  request.set_is_online(online);
  return agent.call("disk", "v1.Disk/SetDiskState", request);
}

// The first identifier in SCSI's vital product data page 0x83 as csi-proxy's drivers compare it:
// what is binary in hexadecimal. Read here by hand, byte for byte.
std::string first_page83(const ScsiDisk& disk) {
  std::ifstream file("/sys/class/scsi_device/" + disk.place() + "/device/vpd_pg83",
                     std::ios::binary);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  REQUIRE(page.size() > 8);
  const auto byte = [&](size_t place) { return static_cast<unsigned char>(page.at(place)); };
  const size_t length = byte(7);
  const bool is_text = (byte(4) & 0x0f) == 2;
  std::string name;
  for (size_t place = 8; place < 8 + length; ++place) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", byte(place));
    name += is_text ? std::string(1, page[place]) : digits;
  }
  return name;
}

}  // namespace

TEST_CASE("csi-proxy 1: every disk with a serial number has a page 83 identifier") {
  const ScsiDisk first, second;
  GuestAgent agent;
  const auto answer = identities(agent);
  for (const ScsiDisk* disk : {&first, &second}) {
    REQUIRE(answer.diskids().contains(disk->number()));
    const v1::DiskIDs& ids = answer.diskids().at(disk->number());
    CHECK(!ids.page83().empty());
    CHECK(!ids.serial_number().empty());
  }
  CHECK(answer.diskids().at(first.number()).page83() !=
        answer.diskids().at(second.number()).page83());
}

TEST_CASE("The identifier is the one that page 83 has first, byte for byte") {
  const ScsiDisk disk;
  GuestAgent agent;
  const std::string expected = first_page83(disk);
  CAPTURE(expected);
  CHECK(identities(agent).diskids().at(disk.number()).page83() == expected);
}

TEST_CASE("csi-proxy 2: a disk's location is the kernel's") {
  const ScsiDisk disk;
  GuestAgent agent;
  const auto answer = agent.get<v1::ListDiskLocationsResponse>("disk", "v1.Disk/ListDiskLocations",
                                                               v1::ListDiskLocationsRequest());
  REQUIRE(answer.disk_locations().contains(disk.number()));
  const v1::DiskLocation& location = answer.disk_locations().at(disk.number());
  CHECK(location.adapter() + ":" + location.bus() + ":" + location.target() + ":" +
            location.lunid() ==
        disk.place());
}

TEST_CASE("csi-proxy 3: a disk goes offline and online") {
  const ScsiDisk disk;
  GuestAgent agent;
  CHECK(size_of(agent, disk) == std::stoll(disk.attribute("block/" + disk.name() + "/size")) * 512);
  rescan(agent);
  CHECK(is_online(agent, disk));

  disk.set_attribute("state", "offline");
  CHECK_FALSE(is_online(agent, disk));
  CHECK(set_online(agent, disk, true)->code() == StatusCode::kOk);
  CHECK(disk.attribute("state") == "running");
  CHECK(is_online(agent, disk));

  // A state of the agent's own: the kernel lets the disk be read, and it is partitioned.
  for (int times = 0; times < 2; ++times) {
    CHECK(set_online(agent, disk, false)->code() == StatusCode::kOk);
    CHECK(disk.attribute("state") == "running");
    CHECK_FALSE(is_online(agent, disk));
    CHECK(partition(agent, disk)->code() == StatusCode::kOk);
  }
  // What the kernel takes offline besides is let run again.
  disk.set_attribute("state", "offline");
  CHECK(partition(agent, disk)->code() == StatusCode::kOk);
  CHECK(disk.attribute("state") == "running");
  CHECK_FALSE(is_online(agent, disk));
  CHECK(set_online(agent, disk, true)->code() == StatusCode::kOk);
  CHECK(is_online(agent, disk));

  // Of itself, that is.
  disk.set_attribute("state", "offline");
  CHECK(partition(agent, disk)->code() == StatusCode::kFailedPrecondition);
  CHECK(set_online(agent, disk, true)->code() == StatusCode::kOk);
}

TEST_CASE("A disk is offline in the kernel as well where that is set, and can be partitioned",
          "[thorough]") {
  const ScsiDisk disk;
  GuestAgent agent({.disk = "settings.offline_in_kernel = true\n"});
  REQUIRE(partition(agent, disk)->code() == StatusCode::kOk);
  const std::string start = "block/" + disk.name() + "/" + disk.name() + "1/start";
  REQUIRE(disk.attribute(start) == "2048");
  for (int times = 0; times < 2; ++times) {
    CHECK(set_online(agent, disk, false)->code() == StatusCode::kOk);
    CHECK(disk.attribute("state") == "offline");
    CHECK_FALSE(is_online(agent, disk));
  }
  CHECK(partition(agent, disk)->code() == StatusCode::kOk);
  CHECK(disk.attribute("state") == "running");
  CHECK(disk.attribute(start) == "2048");
  CHECK_FALSE(is_online(agent, disk));
  CHECK(set_online(agent, disk, true)->code() == StatusCode::kOk);
  CHECK(is_online(agent, disk));
}

TEST_CASE("csi-proxy 4: a blank disk gets its partition, once") {
  const ScsiDisk disk;
  GuestAgent agent;
  CHECK(partition(agent, disk)->code() == StatusCode::kOk);
  const std::string start = disk.attribute("block/" + disk.name() + "/" + disk.name() + "1/start");
  CHECK(start == "2048");
  CHECK(partition(agent, disk)->code() == StatusCode::kOk);
  CHECK(disk.attribute("block/" + disk.name() + "/" + disk.name() + "2/start").empty());
}

TEST_CASE("A read-only disk is left as it is") {
  const ScsiDisk disk;
  disk.make_read_only();
  GuestAgent agent;
  CHECK(partition(agent, disk)->code() == StatusCode::kFailedPrecondition);
}

TEST_CASE("A disk that is plugged in while the agent runs is served, one unplugged is not") {
  GuestAgent agent;
  uint32_t number = 0;
  {
    const ScsiDisk disk;
    number = disk.number();
    rescan(agent);
    CHECK(identities(agent).diskids().contains(number));
    disk.unplug();
    CHECK(eventually([&] { return !identities(agent).diskids().contains(number); }));
    CHECK(partition(agent, disk)->code() == StatusCode::kNotFound);
  }
  const ScsiDisk next;
  CHECK(next.number() != number);
}

TEST_CASE("A disk that is unplugged in the middle of calls is an error, not an end") {
  GuestAgent agent;
  for (int round = 0; round < 5; ++round) {
    const ScsiDisk disk;
    TestClient client(agent.socket("disk", "v1"));
    const auto request = about<v1::PartitionDiskRequest>(disk).SerializeAsString();
    const auto answer = client.start("v1.Disk/PartitionDisk", request);
    std::thread unplugging([&] { disk.unplug(); });
    CHECK(client.run_until([&] { return answer->finished(); }));
    unplugging.join();
    CAPTURE(answer->text());
    CHECK(answer->code() != StatusCode::kUnavailable);
    CHECK(eventually([&] { return !identities(agent).diskids().contains(disk.number()); }));
  }
}

TEST_CASE("A disk that has grown shows it after a rescan") {
  const ScsiDisk disk;
  GuestAgent agent;
  const int64_t before = size_of(agent, disk);
  set_virtual_size_of_scsi_disks(1);
  CHECK(size_of(agent, disk) == before);
  rescan(agent);
  const bool has_grown = eventually([&] { return size_of(agent, disk) == 1024 * kMebibyte; });
  set_virtual_size_of_scsi_disks(0);
  CHECK(has_grown);
}
