// What the calls of both groups, as the agent loads them, say that they would hang on: of a disk
// the disk, whatever of it they name.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"
#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/volume/disk_world.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;
using test::WireReader;
using test::WireWriter;

struct Hosted {
  Hosted() {
    const std::vector<std::string> names = {disk.name()};
    REQUIRE(
        volumes.start({.settings = {{"disk_names", names},
                                    {"allowed_roots", std::vector<std::string>{node.root()}}}}));
    REQUIRE(disks.start({.settings = {{"disk_names", names}}}));
  }

  std::string number() const { return WireWriter().number(1, disk.number()); }
  std::string bulkhead() const { return "disk " + std::to_string(disk.number()); }
  std::string call(testing::FakeHost& host, const std::string& method, const std::string& request) {
    return outcome(host.begin_bytes(method, request).wait_for_all_bytes());
  }

  const LoopDisk disk{kDiskBytes};
  Node node;
  const testing::ModuleFile volume_file{test::built_module("volume")};
  const testing::ModuleFile disk_file{test::built_module("disk")};
  testing::FakeHost volumes{volume_file.entry()};
  testing::FakeHost disks{disk_file.entry()};
};

struct VolumeCall {
  std::string method;
  std::string request;
};

TEST_CASE("a disk is one bulkhead, by its number, by its volume's id and by a path") {
  Hosted hosted;
  const std::string target = hosted.node.target("target");
  for (const std::string method : {"GetDiskStats", "GetDiskState"}) {
    CHECK(hosted.call(hosted.disks, "v1.Disk/" + method, hosted.number()) == "OK");
  }
  CHECK(hosted.disks.bulkheads().empty());  // they touch no disk
  CHECK(hosted.call(hosted.disks, "v1.Disk/PartitionDisk", hosted.number()) == "OK");
  CHECK(hosted.call(hosted.disks, "v1.Disk/SetDiskState",
                    WireWriter().number(1, hosted.disk.number()).number(2, 1)) == "OK");
  CHECK(hosted.disks.bulkheads() == std::vector<std::string>(2, hosted.bulkhead()));

  const auto listed = hosted.volumes.begin_bytes("v1.Volume/ListVolumesOnDisk", hosted.number())
                          .wait_for_all_bytes();
  REQUIRE(listed);
  const std::string id = WireReader(listed->front()).texts(1).at(0);
  const std::string by_id = WireWriter().text(1, id);
  const std::string by_disk = WireWriter().text(1, std::to_string(hosted.disk.number()));
  const std::string by_both = WireWriter().text(1, id).text(2, target);
  const VolumeCall calls[] = {
      {"v1.Volume/IsVolumeFormatted", by_id},
      {"v1.Volume/FormatVolume", by_id},
      {"v1.Volume/MountVolume", by_both},
      {"v1.Volume/GetVolumeStats", WireWriter().text(1, id + "@0")},  // no such id: none
      {"v1.Volume/GetVolumeStats",
       WireWriter().text(1, id + "@" + std::to_string(hosted.disk.number()))},
      {"v1.Volume/WriteVolumeCache", by_id},
      {"v1.Volume/ResizeVolume", by_id},
      {"v1.Volume/ResizeVolume", by_disk},
      {"v1.Volume/GetDiskNumberFromVolumeID", by_id},  // asks no more than is known: none
      {"v1.Volume/GetVolumeIDFromTargetPath", WireWriter().text(1, target)},
      {"v2alpha1.Volume/GetClosestVolumeIDFromTargetPath", WireWriter().text(1, target + "/x")},
      {"v1.Volume/UnmountVolume", by_both},
      {"v1.Volume/UnmountVolume", by_both},  // nothing is there any more: none
  };
  for (const VolumeCall& call : calls) hosted.call(hosted.volumes, call.method, call.request);
  // Formatting, mounting and unmounting succeeded, or a path would have had no disk.
  CHECK(hosted.volumes.bulkheads() == std::vector<std::string>(1 + 10, hosted.bulkhead()));
}

TEST_CASE("where a disk's bulkhead is full it is not touched, whatever names it") {
  Hosted hosted;
  REQUIRE(hosted.call(hosted.disks, "v1.Disk/PartitionDisk", hosted.number()) == "OK");
  const auto listed = hosted.volumes.begin_bytes("v1.Volume/ListVolumesOnDisk", hosted.number())
                          .wait_for_all_bytes();
  REQUIRE(listed);
  const std::string id = WireReader(listed->front()).texts(1).at(0);
  hosted.volumes.fill_bulkhead(hosted.bulkhead());
  hosted.disks.fill_bulkhead(hosted.bulkhead());
  for (const std::string method : {"PartitionDisk", "SetDiskState"}) {
    CHECK(hosted.call(hosted.disks, "v1.Disk/" + method, hosted.number()) == "UNAVAILABLE");
  }
  CHECK(hosted.call(hosted.disks, "v1.Disk/GetDiskState", hosted.number()) == "OK");
  CHECK(hosted.call(hosted.volumes, "v1.Volume/ListVolumesOnDisk", hosted.number()) ==
        "UNAVAILABLE");
  for (const std::string method : {"IsVolumeFormatted", "FormatVolume", "GetVolumeStats",
                                   "WriteVolumeCache", "ResizeVolume"}) {
    CAPTURE(method);
    CHECK(hosted.call(hosted.volumes, "v1.Volume/" + method, WireWriter().text(1, id)) ==
          "UNAVAILABLE");
  }
  hosted.disks.fill_bulkhead("all disks");
  CHECK(hosted.call(hosted.disks, "v1.Disk/Rescan", "") == "UNAVAILABLE");
}

}  // namespace
}  // namespace longshore::volume
