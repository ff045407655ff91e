// The volume group as csi-proxy's clients use it: every version on its own socket, on loop disks of
// the test's own, with bytes written from csi-proxy's tables.
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/disk_versions.h"
#include "tests/support/disk_content.h"
#include "tests/support/disk_node.h"
#include "tests/support/eventually.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

// Where statfs and the partition's edges leave some out: csi-proxy's tests allow as much.
bool is_around(uint64_t size, uint64_t expected) {
  return size <= expected && size + 20 * kMebibyte >= expected;
}

}  // namespace

TEST_CASE("Ids that name no volume are refused in every version") {
  ServedNode served({.bytes = kMebibyte});
  for (const VolumeVersion& version : kVolumeVersions) {
    CAPTURE(version.name);
    VersionClient client(served.node, "volume", version.name);
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
  ServedNode served({.bytes = 256 * kMebibyte, .filesystem = growing.empty() ? "ext4" : growing});
  DiskNode& node = served.node;
  const uint32_t number = node.disk().number();
  const std::string yes = WireWriter().number(1, 1);
  VersionClient client(node, "volume", version.name);
  // v2alpha1 is the volume group's alone.
  const std::string disk_version = version.name == "v2alpha1" ? "v1" : version.name;
  VersionClient disks(node, "disk", disk_version);
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
    std::puts("SKIPPED: no filesystem can grow here: no CAP_SYS_RESOURCE, no btrfs");
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
  // azuredisk: the disk's number as the volume's id, with nothing to grow.
  const std::string number_as_id = WireWriter().text(1, std::to_string(number));
  if (!growing.empty()) CHECK(client.call("ResizeVolume", number_as_id) == "");
  CHECK(client.code("FormatVolume", number_as_id) == StatusCode::kNotFound);
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

TEST_CASE(
    "AWS EBS finds its words in every version, and azuredisk and vSphere an error, not a list") {
  ServedNode served({.bytes = kMebibyte});
  const std::string plain = served.node.make_target("plain");
  for (const VolumeVersion& version : kVolumeVersions) {
    CAPTURE(version.name);
    VersionClient client(served.node, "volume", version.name);
    CHECK(client.code("ListVolumesOnDisk", disk_field(version.has_text_ids, 0)) ==
          StatusCode::kNotFound);
    if (version.id_at.empty()) continue;
    for (const std::string& path : {plain, plain + "/absent"}) {
      CHECK_THAT(client.error(version.id_at, WireWriter().text(1, path)),
                 Catch::Contains("because it does not exist"));
    }
  }
}

TEST_CASE("What is lost with a disk is a warning in log and audit log, and the call succeeds") {
  const TemporaryDirectory audit;
  const std::string audit_file = audit / "audit.jsonl";
  ServedNode served({.more = "[agent.audit]\nfile = \"" + audit_file + "\"\n"});
  DiskNode& node = served.node;
  DiskClient v1(node);
  VersionClient client(node, "volume", "v1");
  v1.partition(node.disk().number());
  const std::string id = ids_in(v1.list(node.disk().number())).at(0);
  REQUIRE(v1.format(id)->code() == StatusCode::kOk);
  const std::string target = node.make_target("target");
  REQUIRE(v1.mount(id, target)->code() == StatusCode::kOk);
  write_bytes(node.disk().node(), 0, std::string(512, '\0'));  // the table
  CHECK(client.call("WriteVolumeCache", WireWriter().text(1, id)) == "");
  CHECK(v1.unmount(id, target)->code() == StatusCode::kOk);
  CHECK(node.mounts().empty());
  std::istringstream log(node.directory().log());
  std::vector<std::string> warnings;
  for (std::string line; std::getline(log, line);) {
    if (line.find(" WARN ") != std::string::npos) warnings.push_back(line);
  }
  REQUIRE(warnings.size() == 2);
  for (const std::string& warning : warnings) {
    CHECK_THAT(warning, Catch::Contains("what was not written to it is lost") &&
                            Catch::Contains("object=\"" + id + "\""));
  }
  CHECK_THAT(warnings[0], Catch::Contains("method=v1.Volume/WriteVolumeCache"));
  CHECK_THAT(warnings[1], Catch::Contains("method=v1.Volume/UnmountVolume"));
  CHECK(eventually([&] {
    return read_file(audit_file)
               .find(R"("code":"OK","warning":"the disk of what was mounted on)") !=
           std::string::npos;
  }));
}

TEST_CASE("v2alpha1 finds the closest volume of a path") {
  ServedNode served;
  DiskNode& node = served.node;
  DiskClient v1(node);
  VersionClient client(node, "volume", "v2alpha1");
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

// What GCP PD and AWS EBS do, with another agent after every call.
TEST_CASE("A volume is staged again after its disk was taken offline, over restarts of the agent") {
  const bool isolated = GENERATE(false, true);
  CAPTURE(isolated);
  const DiskNode node({.isolated = isolated});
  const uint32_t disk = node.disk().number();
  const std::string target = node.make_target("target");
  const auto with_agent = [&](const auto& call) {
    AgentProcess agent(node.directory());
    INFO(node.directory().log());
    REQUIRE(agent.serves());
    // An agent that is stopped waits for a client that is still there.
    const DiskClient::Called called = [&] {
      DiskClient client(node);
      return call(client);
    }();
    INFO(called->text());
    CHECK(agent.stop() == 0);
    return called;
  };
  const auto must = [&](const auto& call) {
    const auto called = with_agent(call);
    INFO(called->text());
    REQUIRE(called->code() == StatusCode::kOk);
    return called;
  };
  std::string id;
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    must([&](DiskClient& client) { return client.partition(disk); });
    must([&](DiskClient& client) { return client.set_online(disk, true); });
    const auto ids = ids_in(must([&](DiskClient& client) { return client.list(disk); }));
    REQUIRE(ids.size() == 1);
    if (round > 0) CHECK(ids.front() == id);
    id = ids.front();
    if (round == 0) must([&](DiskClient& client) { return client.format(id); });
    must([&](DiskClient& client) { return client.mount(id, target); });
    const auto refused =
        with_agent([&](DiskClient& client) { return client.set_online(disk, false); });
    CHECK(refused->code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(refused->text(), Catch::Contains(target));
    must([&](DiskClient& client) { return client.unmount(id, target); });
    must([&](DiskClient& client) { return client.set_online(disk, false); });
    const auto listed = with_agent([&](DiskClient& client) { return client.list(disk); });
    CHECK(listed->code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(listed->text(), Catch::Contains("is offline") && Catch::Contains("SetDiskState"));
    const auto mounted = with_agent([&](DiskClient& client) { return client.mount(id, target); });
    CHECK(mounted->code() == StatusCode::kFailedPrecondition);
    CHECK(node.mounts().empty());
  }
}
