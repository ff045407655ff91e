// The disk group as csi-proxy's clients use it, and which socket serves what: every version, on
// loop disks of the test's own, with bytes written from csi-proxy's tables.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/disk_versions.h"
#include "tests/support/disk_content.h"
#include "tests/support/disk_node.h"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

// The map that v1beta1 and v1beta2 have of a disk's identifiers.
std::map<std::string, std::string> identifiers_in(const std::string& ids) {
  std::map<std::string, std::string> identifiers;
  for (const std::string& entry : WireReader(ids).texts(1)) {
    identifiers[WireReader(entry).texts(1).at(0)] = WireReader(entry).texts(2).at(0);
  }
  return identifiers;
}

}  // namespace

TEST_CASE("A disk is found, asked and partitioned in every version") {
  ServedNode served({.disks = std::size(kDiskVersions), .bytes = 64 * kMebibyte});
  for (size_t place = 0; place < std::size(kDiskVersions); ++place) {
    const DiskVersion& version = kDiskVersions[place];
    CAPTURE(version.name);
    VersionClient client(served.node, "disk", version.name);
    const LoopDisk& disk = served.node.disk(place);
    const std::string number = disk_field(version.has_text_ids, disk.number());

    // Loop devices are plugged in nowhere.
    CHECK(client.call("ListDiskLocations", "") == "");
    if (!version.stats.empty()) {
      const uint64_t size = WireReader(client.call(version.stats, number)).number(1);
      CHECK(size == 64 * kMebibyte);
    }
    CHECK(client.call("Rescan", "") == "");
    CHECK(client.call("PartitionDisk", number) == "");
    CHECK(fs::is_block_file(served.node.partition_node(place)));
    CHECK(client.call("PartitionDisk", number) == "");
    const std::string none = disk_field(version.has_text_ids, 4294967295);
    CHECK(client.code("PartitionDisk", none) == StatusCode::kNotFound);
  }
}

TEST_CASE("The list of disk ids has every disk, in the form of each version") {
  ServedNode served({.disks = 2, .bytes = kMebibyte});
  for (const DiskVersion& version : kDiskVersions) {
    if (version.ids.empty()) continue;
    CAPTURE(version.name);
    const std::string list = VersionClient(served.node, "disk", version.name).call(version.ids, "");
    std::vector<uint64_t> numbers;
    for (const std::string& entry : WireReader(list).texts(1)) {
      const WireReader pair(entry);
      numbers.push_back(version.has_text_ids ? std::stoull(pair.texts(1).at(0)) : pair.number(1));
      const std::string ids = pair.texts(2).empty() ? "" : pair.texts(2).front();
      // Loop devices have neither identifier; the map names both all the same.
      if (version.has_text_ids) {
        CHECK(identifiers_in(ids) ==
              std::map<std::string, std::string>{{"page83", ""}, {"serialNumber", ""}});
      } else {
        CHECK(ids == "");
      }
    }
    std::sort(numbers.begin(), numbers.end());
    CHECK(numbers ==
          std::vector<uint64_t>{served.node.disk(0).number(), served.node.disk(1).number()});
  }
}

TEST_CASE("A disk goes offline and online in every version that can say so") {
  ServedNode served({.bytes = 64 * kMebibyte});
  for (const DiskVersion& version : kDiskVersions) {
    if (version.state.empty()) continue;
    CAPTURE(version.name);
    VersionClient client(served.node, "disk", version.name);
    const WireWriter number = disk_field(version.has_text_ids, served.node.disk().number());
    const std::string yes = WireWriter().number(1, 1);
    CHECK(client.call(version.state, number) == yes);
    for (int times = 0; times < 2; ++times) {
      CHECK(client.call(version.set_state, WireWriter(number)) == "");
      CHECK(client.call(version.state, number) == "");
    }
    CHECK(client.call("PartitionDisk", number) == "");
    CHECK(client.call(version.state, number) == "");
    CHECK(client.call(version.set_state, WireWriter(number).number(2, 1)) == "");
    CHECK(client.call(version.state, number) == yes);
  }
  // To ask writes nothing, and there was nothing to warn of.
  CHECK(served.node.directory().log().find("read-only") == std::string::npos);
}

TEST_CASE("A read-only disk is online, and the log says what the answer cannot") {
  ServedNode served({.bytes = kMebibyte});
  const WriteProtection protection(served.node.disk());
  const auto warnings = [&] {
    const std::string log = served.node.directory().log(), said = "is read-only: volumes there";
    size_t count = 0;
    for (size_t at = 0; (at = log.find(said, at)) != std::string::npos; at += said.size()) ++count;
    return count;
  };
  size_t expected = 0;
  for (const DiskVersion& version : kDiskVersions) {
    if (version.state.empty()) continue;
    CAPTURE(version.name);
    VersionClient client(served.node, "disk", version.name);
    const WireWriter number = disk_field(version.has_text_ids, served.node.disk().number());
    CHECK(client.call(version.state, number) == WireWriter().number(1, 1).bytes());
    CHECK(eventually([&] { return warnings() == expected + 1; }));
    CHECK(client.call(version.set_state, WireWriter(number).number(2, 1)) == "");
    CHECK(eventually([&] { return warnings() == expected + 2; }));
    expected += 2;
  }
}

TEST_CASE("A text that is no disk number is refused in the old versions") {
  ServedNode served({.bytes = kMebibyte});
  const std::vector<std::string> texts = {"", "-1", "1x", " 1", "0x1", "4294967296"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    const std::string request = WireWriter().text(1, text);
    for (const DiskVersion& version : kDiskVersions) {
      if (!version.has_text_ids) continue;
      CAPTURE(version.name);
      VersionClient client(served.node, "disk", version.name);
      for (const std::string& method :
           {std::string("PartitionDisk"), version.stats, version.set_state, version.state}) {
        if (method.empty()) continue;
        CHECK(client.code(method, request) == StatusCode::kInvalidArgument);
      }
    }
    for (const VolumeVersion& version : kVolumeVersions) {
      if (!version.has_text_ids) continue;
      CAPTURE(version.name);
      CHECK(VersionClient(served.node, "volume", version.name).code("ListVolumesOnDisk", request) ==
            StatusCode::kInvalidArgument);
    }
  }
  VersionClient oldest(served.node, "disk", "v1alpha1");
  CHECK(oldest.code("GetDiskNumberByName", "") == StatusCode::kInvalidArgument);
  CHECK(oldest.code("GetDiskNumberByName", WireWriter().text(1, "naa.0")) == StatusCode::kNotFound);
}

TEST_CASE("Each socket serves its group in its version and nothing else") {
  ServedNode served({.bytes = kMebibyte});
  // A question that a version answers well although the disk is blank.
  struct Served {
    std::string group, version, method, request;
  };
  std::vector<Served> all;
  for (const auto& version : kDiskVersions) {
    all.push_back({"disk", version.name, version.name + ".Disk/ListDiskLocations", ""});
  }
  for (const auto& version : kVolumeVersions) {
    all.push_back({"volume", version.name, version.name + ".Volume/ListVolumesOnDisk",
                   disk_field(version.has_text_ids, served.node.disk().number())});
  }
  for (const Served& own : all) {
    TestClient client(served.node.socket(own.group, own.version));
    for (const Served& asked : all) {
      CAPTURE(own.method, asked.method);
      CHECK(client.call(asked.method, asked.request)->code() ==
            (own.method == asked.method ? StatusCode::kOk : StatusCode::kUnimplemented));
    }
  }
}

TEST_CASE("Old names are the old versions' alone, and new ones the new versions'") {
  ServedNode served({.bytes = kMebibyte});
  const auto check = [&](const std::string& group, const std::string& version,
                         const std::vector<std::string>& absent) {
    CAPTURE(group, version);
    VersionClient client(served.node, group, version);
    for (const std::string& method : absent) {
      CAPTURE(method);
      CHECK(client.code(method, "") == StatusCode::kUnimplemented);
    }
  };
  for (const auto& version : kDiskVersions) {
    check("disk", version.name,
          version.has_text_ids
              ? std::vector<std::string>{"GetDiskStats", "SetDiskState", "GetDiskState"}
              : std::vector<std::string>{"DiskStats", "SetAttachState", "GetAttachState",
                                         "GetDiskNumberByName"});
  }
  for (const auto& version : kVolumeVersions) {
    check("volume", version.name,
          version.has_text_ids
              ? std::vector<std::string>{"UnmountVolume", "GetVolumeStats",
                                         "GetDiskNumberFromVolumeID", "GetVolumeIDFromTargetPath"}
              : std::vector<std::string>{"DismountVolume", "VolumeStats", "GetVolumeDiskNumber",
                                         "GetVolumeIDFromMount"});
    if (version.name != "v2alpha1") {
      check("volume", version.name, {"GetClosestVolumeIDFromTargetPath"});
    }
  }
}
