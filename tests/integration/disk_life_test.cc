// The disk and volume groups as csi-proxy's clients use them: every version on its own socket, on
// loop disks of the test's own, with bytes written from csi-proxy's tables.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/disk_node.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

// What the wire says of one version of the disk group: the names that moved, "" where there is none
// yet.
struct DiskVersion {
  std::string name;
  bool has_text_ids;
  std::string ids, stats, set_state, state;
};
const DiskVersion kDiskVersions[] = {
    {"v1alpha1", true, "", "", "", ""},
    {"v1beta1", true, "ListDiskIDs", "DiskStats", "", ""},
    {"v1beta2", true, "ListDiskIDs", "DiskStats", "SetAttachState", "GetAttachState"},
    {"v1beta3", false, "ListDiskIDs", "GetDiskStats", "SetDiskState", "GetDiskState"},
    {"v1", false, "ListDiskIDs", "GetDiskStats", "SetDiskState", "GetDiskState"},
};

// The same of the volume group.
struct VolumeVersion {
  std::string name;
  bool has_text_ids;
  std::string unmount, stats, disk_number, id_at, flush;
};
const VolumeVersion kVolumeVersions[] = {
    {"v1alpha1", true, "DismountVolume", "", "", "", ""},
    {"v1beta1", true, "DismountVolume", "VolumeStats", "GetVolumeDiskNumber",
     "GetVolumeIDFromMount", ""},
    {"v1beta2", true, "DismountVolume", "VolumeStats", "GetVolumeDiskNumber",
     "GetVolumeIDFromMount", "WriteVolumeCache"},
    {"v1beta3", false, "UnmountVolume", "GetVolumeStats", "GetDiskNumberFromVolumeID",
     "GetVolumeIDFromTargetPath", "WriteVolumeCache"},
    {"v1", false, "UnmountVolume", "GetVolumeStats", "GetDiskNumberFromVolumeID",
     "GetVolumeIDFromTargetPath", "WriteVolumeCache"},
    {"v2alpha1", false, "UnmountVolume", "GetVolumeStats", "GetDiskNumberFromVolumeID",
     "GetVolumeIDFromTargetPath", "WriteVolumeCache"},
};

// The field of a disk's number.
WireWriter disk_field(bool is_text, uint32_t number) {
  return is_text ? WireWriter().text(1, std::to_string(number)) : WireWriter().number(1, number);
}

// Where statfs and the partition's edges leave some out: csi-proxy's tests allow as much.
bool is_around(uint64_t size, uint64_t expected) {
  return size <= expected && size + 20 * kMebibyte >= expected;
}

struct Fixture {
  explicit Fixture(const DiskNodeSetup& setup = {}) : node(setup) {
    INFO(node.directory().log());
    REQUIRE(agent.serves());
  }
  ~Fixture() { CHECK(agent.stop() == 0); }

  DiskNode node;
  AgentProcess agent{node.directory()};
};

// One version's client: the service is part of what is called.
class Client {
 public:
  Client(const DiskNode& node, const std::string& group, const std::string& version)
      : service_(version + (group == "disk" ? ".Disk/" : ".Volume/")),
        client_(node.socket(group, version)) {}

  // The bytes of an answer that must be a good one.
  std::string call(const std::string& method, const std::string& request) {
    const auto answer = client_.call(service_ + method, request);
    INFO(service_ << method << ": " << answer->text());
    REQUIRE(answer->code() == StatusCode::kOk);
    return answer->messages.at(0);
  }

  StatusCode code(const std::string& method, const std::string& request) {
    const auto answer = client_.call(service_ + method, request);
    CHECK((answer->code() == StatusCode::kOk || !answer->text().empty()));
    return answer->code();
  }

 private:
  const std::string service_;
  TestClient client_;
};

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
  Fixture fixture({.disks = std::size(kDiskVersions), .bytes = 64 * kMebibyte});
  for (size_t place = 0; place < std::size(kDiskVersions); ++place) {
    const DiskVersion& version = kDiskVersions[place];
    CAPTURE(version.name);
    Client client(fixture.node, "disk", version.name);
    const LoopDisk& disk = fixture.node.disk(place);
    const std::string number = disk_field(version.has_text_ids, disk.number());

    // Loop devices are plugged in nowhere.
    CHECK(client.call("ListDiskLocations", "") == "");
    if (!version.stats.empty()) {
      const uint64_t size = WireReader(client.call(version.stats, number)).number(1);
      CHECK(size == 64 * kMebibyte);
    }
    CHECK(client.call("Rescan", "") == "");
    CHECK(client.call("PartitionDisk", number) == "");
    CHECK(fs::is_block_file(fixture.node.partition_node(place)));
    CHECK(client.call("PartitionDisk", number) == "");
    const std::string none = disk_field(version.has_text_ids, 4294967295);
    CHECK(client.code("PartitionDisk", none) == StatusCode::kNotFound);
  }
}

TEST_CASE("The list of disk ids has every disk, in the form of each version") {
  Fixture fixture({.disks = 2, .bytes = kMebibyte});
  for (const DiskVersion& version : kDiskVersions) {
    if (version.ids.empty()) continue;
    CAPTURE(version.name);
    const std::string list = Client(fixture.node, "disk", version.name).call(version.ids, "");
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
          std::vector<uint64_t>{fixture.node.disk(0).number(), fixture.node.disk(1).number()});
  }
}

TEST_CASE("A loop disk is online and says that it cannot be otherwise") {
  Fixture fixture({.bytes = kMebibyte});
  for (const DiskVersion& version : kDiskVersions) {
    if (version.state.empty()) continue;
    CAPTURE(version.name);
    Client client(fixture.node, "disk", version.name);
    const WireWriter number = disk_field(version.has_text_ids, fixture.node.disk().number());
    const std::string yes = WireWriter().number(1, 1);
    CHECK(client.call(version.state, number) == yes);
    CHECK(client.call(version.set_state, WireWriter(number).number(2, 1)) == "");
    CHECK(client.code(version.set_state, WireWriter(number)) == StatusCode::kUnimplemented);
    CHECK(client.call(version.state, number) == yes);
  }
}

TEST_CASE("A text that is no disk number is refused in the old versions") {
  Fixture fixture({.bytes = kMebibyte});
  const std::vector<std::string> texts = {"", "-1", "1x", " 1", "0x1", "4294967296"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    const std::string request = WireWriter().text(1, text);
    for (const DiskVersion& version : kDiskVersions) {
      if (!version.has_text_ids) continue;
      CAPTURE(version.name);
      Client client(fixture.node, "disk", version.name);
      for (const std::string& method :
           {std::string("PartitionDisk"), version.stats, version.set_state, version.state}) {
        if (method.empty()) continue;
        CHECK(client.code(method, request) == StatusCode::kInvalidArgument);
      }
    }
    for (const VolumeVersion& version : kVolumeVersions) {
      if (!version.has_text_ids) continue;
      CAPTURE(version.name);
      CHECK(Client(fixture.node, "volume", version.name).code("ListVolumesOnDisk", request) ==
            StatusCode::kInvalidArgument);
    }
  }
  Client oldest(fixture.node, "disk", "v1alpha1");
  CHECK(oldest.code("GetDiskNumberByName", "") == StatusCode::kInvalidArgument);
  CHECK(oldest.code("GetDiskNumberByName", WireWriter().text(1, "naa.0")) == StatusCode::kNotFound);
}

TEST_CASE("Ids that name no volume are refused in every version") {
  Fixture fixture({.bytes = kMebibyte});
  for (const VolumeVersion& version : kVolumeVersions) {
    CAPTURE(version.name);
    Client client(fixture.node, "volume", version.name);
    for (const std::string id : {"", "-1"}) {
      CAPTURE(id);
      const StatusCode expected = id.empty() ? StatusCode::kInvalidArgument : StatusCode::kNotFound;
      const WireWriter request = WireWriter().text(1, id);
      for (const std::string& method :
           {std::string("IsVolumeFormatted"), std::string("FormatVolume"), version.stats,
            version.disk_number, version.flush}) {
        if (method.empty()) continue;
        CAPTURE(method);
        CHECK(client.code(method, request) == expected);
      }
      CHECK(client.code("ResizeVolume", WireWriter(request).number(2, 2 * kMebibyte)) == expected);
      for (const std::string& method : {std::string("MountVolume"), version.unmount}) {
        CHECK(client.code(method, request) == StatusCode::kInvalidArgument);
      }
    }
  }
}

TEST_CASE("A volume lives its life in every version") {
  const auto& version =
      GENERATE(from_range(std::begin(kVolumeVersions), std::end(kVolumeVersions)));
  CAPTURE(version.name);
  const std::string growing = DiskNode::growing_filesystem();
  Fixture fixture({.bytes = 256 * kMebibyte, .filesystem = growing.empty() ? "ext4" : growing});
  DiskNode& node = fixture.node;
  const uint32_t number = node.disk().number();
  const std::string yes = WireWriter().number(1, 1);
  Client client(node, "volume", version.name);
  // v2alpha1 is the volume group's alone.
  const std::string disk_version = version.name == "v2alpha1" ? "v1" : version.name;
  Client disks(node, "disk", disk_version);
  const std::string disk = disk_field(version.has_text_ids, number);

  CHECK(client.call("ListVolumesOnDisk", disk) == "");
  disks.call("PartitionDisk", disk);
  const auto ids = WireReader(client.call("ListVolumesOnDisk", disk)).texts(1);
  REQUIRE(ids.size() == 1);
  const std::string volume = WireWriter().text(1, ids.front());
  CHECK(client.call("IsVolumeFormatted", volume) == "");
  CHECK(client.call("FormatVolume", volume) == "");
  CHECK(client.call("IsVolumeFormatted", volume) == yes);
  CHECK(client.call("FormatVolume", volume) == "");

  const auto total = [&] { return WireReader(client.call(version.stats, volume)).number(1); };
  if (!version.stats.empty()) {
    CHECK(is_around(total(), 256 * kMebibyte));
    const uint64_t used = WireReader(client.call(version.stats, volume)).number(2);
    CHECK((0 < used && used < total()));
  }
  if (growing.empty()) {
    WARN("SKIPPED: no filesystem can grow here: no CAP_SYS_RESOURCE, no btrfs");
  } else {
    node.disk().grow(512 * kMebibyte);
    disks.call("Rescan", "");
    CHECK(client.call("ResizeVolume",
                      WireWriter().text(1, ids.front()).number(2, 384 * kMebibyte)) == "");
    if (!version.stats.empty()) CHECK(is_around(total(), 384 * kMebibyte));
  }
  if (!version.disk_number.empty()) {
    CHECK(client.call(version.disk_number, volume) == WireWriter().number(1, number).bytes());
  }

  const std::string target = node.make_target("target");
  const std::string mount = WireWriter().text(1, ids.front()).text(2, target);
  CHECK(client.call("MountVolume", mount) == "");
  CHECK(client.call("MountVolume", mount) == "");
  const auto mounts = node.mounts();
  REQUIRE(mounts.size() == 1);
  CHECK(mounts.front().point == target);
  CHECK(mounts.front().source == node.partition_node());
  write_file(target + "/file", "content");
  if (!version.id_at.empty()) {
    CHECK(client.call(version.id_at, WireWriter().text(1, target)) == volume);
    CHECK(client.code(version.id_at, WireWriter().text(1, node.make_target("plain"))) ==
          StatusCode::kFailedPrecondition);
  }
  if (!version.flush.empty()) CHECK(client.call(version.flush, volume) == "");
  CHECK(client.code("FormatVolume", volume) == StatusCode::kFailedPrecondition);
  CHECK(client.call(version.unmount, mount) == "");
  CHECK(node.mounts().empty());
  CHECK(client.call(version.unmount, mount) == "");
  CHECK(fs::is_empty(target));
  CHECK(client.call("MountVolume", mount) == "");
  CHECK(fs::file_size(target + "/file") == 7);
  CHECK(client.call(version.unmount, mount) == "");
}

TEST_CASE("v2alpha1 finds the closest volume of a path") {
  Fixture fixture;
  DiskNode& node = fixture.node;
  DiskClient v1(node);
  Client client(node, "volume", "v2alpha1");
  v1.partition(node.disk().number());
  const std::string id = ids_in(v1.list(node.disk().number())).at(0);
  REQUIRE(v1.format(id)->code() == StatusCode::kOk);
  const std::string target = node.make_target("target");
  REQUIRE(v1.mount(id, target)->code() == StatusCode::kOk);

  constexpr const char* kClosest = "GetClosestVolumeIDFromTargetPath";
  const std::string volume = WireWriter().text(1, id);
  const auto path = [](const std::string& text) -> std::string {
    return WireWriter().text(1, text);
  };
  fs::create_directories(target + "/foo/bar");
  CHECK(client.call(kClosest, path(target)) == volume);
  CHECK(client.call(kClosest, path(target + "/foo/bar")) == volume);
  const std::string elsewhere = node.make_target("elsewhere");
  fs::create_directory_symlink(target, elsewhere + "/link");
  CHECK(client.call(kClosest, path(elsewhere + "/link")) == volume);
  CHECK(client.call(kClosest, path(elsewhere + "/link/foo")) == volume);

  // It lies on a disk that is not served.
  CHECK(client.code(kClosest, path(elsewhere)) == StatusCode::kFailedPrecondition);
  CHECK(client.code(kClosest, path(elsewhere + "/absent")) == StatusCode::kNotFound);
  CHECK(client.code(kClosest, path("/")) == StatusCode::kPermissionDenied);
  fs::create_directory_symlink(fs::temp_directory_path(), elsewhere + "/out");
  CHECK(client.code(kClosest, path(elsewhere + "/out")) == StatusCode::kPermissionDenied);
  CHECK(v1.unmount(id, target)->code() == StatusCode::kOk);
}

TEST_CASE("Each socket serves its group in its version and nothing else") {
  Fixture fixture({.bytes = kMebibyte});
  // A question that a version answers well although there is no such disk.
  struct Served {
    std::string group, version, method, request;
  };
  std::vector<Served> all;
  for (const auto& version : kDiskVersions) {
    all.push_back({"disk", version.name, version.name + ".Disk/ListDiskLocations", ""});
  }
  for (const auto& version : kVolumeVersions) {
    all.push_back({"volume", version.name, version.name + ".Volume/ListVolumesOnDisk",
                   disk_field(version.has_text_ids, 1)});
  }
  for (const Served& own : all) {
    TestClient client(fixture.node.socket(own.group, own.version));
    for (const Served& asked : all) {
      CAPTURE(own.method, asked.method);
      CHECK(client.call(asked.method, asked.request)->code() ==
            (own.method == asked.method ? StatusCode::kOk : StatusCode::kUnimplemented));
    }
  }
}

TEST_CASE("Old names are the old versions' alone, and new ones the new versions'") {
  Fixture fixture({.bytes = kMebibyte});
  const auto check = [&](const std::string& group, const std::string& version,
                         const std::vector<std::string>& absent) {
    CAPTURE(group, version);
    Client client(fixture.node, group, version);
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
