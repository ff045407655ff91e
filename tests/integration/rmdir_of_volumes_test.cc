// Rmdir of a directory that a volume is mounted on, as azuredisk unstages: with real volumes on
// loop disks, in every version of the filesystem group.
#include <fcntl.h>
#include <sys/mount.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/integration/disk_versions.h"
#include "tests/support/bind_mount.h"
#include "tests/support/disk_content.h"
#include "tests/support/disk_node.h"
#include "tests/support/mortal_agent.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tmpfs_mount.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/observe/log_lines.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

constexpr const char* kVersions[] = {"v1alpha1", "v1beta1", "v1beta2", "v1", "v2alpha1"};

std::string rmdir_request(const std::string& version, const std::string& path, bool force) {
  const bool is_old = version == "v1alpha1" || version == "v1beta1";
  return WireWriter().text(1, path).number(is_old ? 3 : 2, force ? 1 : 0);
}

// A node whose volume is formatted and mounted, with a file on it.
class Staged {
 public:
  explicit Staged(DiskNodeSetup setup = {}) : served(with_files(std::move(setup))) {
    client.partition(node.disk().number());
    id = ids_in(client.list(node.disk().number())).at(0);
    REQUIRE(client.format(id)->code() == StatusCode::kOk);
    mount();
    write_file(stage + "/file", "content");
  }

  void mount() {
    node.make_target("stage");
    const auto mounted = client.mount(id, stage);
    INFO(mounted->text());
    REQUIRE(mounted->code() == StatusCode::kOk);
  }

  // "" for success, otherwise the code's name; the text is kept.
  std::string rmdir(const std::string& path, bool force, const std::string& version = "v1") {
    TestClient files(node.socket("filesystem", version));
    const auto answer =
        files.call(version + ".Filesystem/Rmdir", rmdir_request(version, path, force));
    text = answer->text();
    return answer->code() == StatusCode::kOk ? "" : status_code_name(answer->code());
  }

  // Whether the volume is where it was, with its file.
  bool is_staged() const { return fs::exists(stage + "/file") && node.mounts().size() == 1; }

  ServedNode served;
  DiskNode& node = served.node;
  DiskClient client{node};
  std::string id;
  const std::string stage = node.directory().root() + "/stage";
  std::string text;

 private:
  static DiskNodeSetup with_files(DiskNodeSetup setup) {
    if (setup.files.empty()) setup.files = kMayUnmount;
    return setup;
  }
};

}  // namespace

TEST_CASE("Rmdir takes the mount point away and leaves what is on the volume, in every version") {
  const bool isolated = GENERATE(false, true);
  Staged staged({.isolated = isolated});
  for (const std::string version : kVersions) {
    for (const bool force : {false, true}) {
      CAPTURE(version, force, isolated);
      const std::string refused = staged.rmdir(staged.stage, force, version);
      INFO(staged.text);
      REQUIRE(refused == "");
      CHECK_FALSE(fs::exists(staged.stage));
      CHECK(staged.node.mounts().empty());
      CHECK(staged.rmdir(staged.stage, force, version) == (force ? "" : "NOT_FOUND"));
      staged.mount();
      CHECK(staged.is_staged());
    }
  }
}

TEST_CASE("the audit log tells what an Rmdir has unmounted, by the same request id") {
  const TemporaryDirectory logs;
  Staged staged({.more = "[agent.audit]\nfile = \"" + (logs / "audit.jsonl") + "\"\n"});
  REQUIRE(staged.rmdir(staged.stage, true) == "");
  std::string begin, end, request_id;
  int unmounts = 0;
  for (const std::string& line : lines_of(logs / "audit.jsonl")) {
    const size_t key = line.find("\"request_id\":\"");
    if (line.find("v1.Filesystem/Rmdir") != std::string::npos && key != std::string::npos) {
      request_id = line.substr(key, line.find('"', key + 14) + 1 - key);
    }
    if (line.find("v1.Volume/UnmountVolume") == std::string::npos) continue;
    ++unmounts;
    (line.find("\"event\":\"begin\"") != std::string::npos ? begin : end) = line;
  }
  CHECK(unmounts == 2);
  REQUIRE_FALSE(request_id.empty());
  CHECK_THAT(begin, Contains(request_id) && Contains("\"caller\":\"module:filesystem\"") &&
                        Contains("\"on_behalf_of\":\"uid:0\"") && Contains(staged.id) &&
                        Contains(staged.stage));
  CHECK_THAT(end, Contains(request_id) && Contains("\"code\":\"OK\"") && Contains(staged.id));
}

TEST_CASE("Rmdir ends what a call that was cut short has begun") {
  Staged staged;
  REQUIRE(staged.client.unmount(staged.id, staged.stage)->code() == StatusCode::kOk);
  CHECK(staged.rmdir(staged.stage, GENERATE(false, true)) == "");
  CHECK_FALSE(fs::exists(staged.stage));
}

TEST_CASE("a volume that somebody uses stays where it is") {
  Staged staged;
  const bool force = GENERATE(false, true);
  SECTION("by a file that is open") {
    const FileDescriptor used(::open((staged.stage + "/file").c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(staged.rmdir(staged.stage, force) == "FAILED_PRECONDITION");
    CHECK_THAT(staged.text, Contains("it is a mount point: ") && Contains("has files open"));
    CHECK(staged.is_staged());
  }
  SECTION("by a mount below it") {
    fs::create_directory(staged.stage + "/below");
    const TmpfsMount below(staged.stage + "/below");
    CHECK(staged.rmdir(staged.stage, force) == "FAILED_PRECONDITION");
    CHECK_THAT(staged.text, Contains("unmount " + staged.stage + "/below first"));
    CHECK(fs::exists(staged.stage + "/file"));
  }
  CHECK(staged.rmdir(staged.stage, force) == "");
}

TEST_CASE(
    "what is mounted and is no volume stays, and so does all of a folder that holds a mount") {
  Staged staged;
  const bool force = GENERATE(false, true);
  const std::string root = staged.node.directory().root();
  const std::string point = staged.node.make_target("point");
  fs::create_directory(staged.stage + "/part");
  SECTION("a filesystem in memory") {
    const TmpfsMount mount(point);
    CHECK(staged.rmdir(point, force) == "FAILED_PRECONDITION");
    CHECK(staged.text == "cannot remove \"" + point + "\": it is a mount point; unmount it first");
    CHECK(staged.node.mounts().size() == 2);
  }
  SECTION("a part of a volume") {
    const BindMount mount(staged.stage + "/part", point);
    CHECK(staged.rmdir(point, force) == "FAILED_PRECONDITION");
    CHECK(staged.text == "cannot remove \"" + point + "\": it is a mount point; unmount it first");
    CHECK(staged.node.mounts().size() == 2);
  }
  SECTION("a file of a volume") {
    write_file(root + "/name", "");
    const BindMount mount(staged.stage + "/file", root + "/name");
    CHECK(staged.rmdir(root + "/name", force) == "FAILED_PRECONDITION");
    CHECK(staged.node.mounts().size() == 2);
  }
  SECTION("a disk that is not served") {
    LoopDisk other(32 * kMebibyte);
    other.make_filesystem();
    REQUIRE(::mount(other.node().c_str(), point.c_str(), "ext4", 0, nullptr) == 0);
    CHECK(staged.rmdir(point, force) == "FAILED_PRECONDITION");
    CHECK_THAT(staged.text, Contains("which is no volume") && Contains("unmount it first"));
    CHECK(staged.node.mounts().size() == 2);
    CHECK(::umount2(point.c_str(), UMOUNT_NOFOLLOW) == 0);
  }
  SECTION("a volume below the path") {
    const std::string pod = staged.node.make_target("pod");
    write_file(pod + "/kept", "");
    staged.node.make_target("pod/volume");
    const BindMount mount(staged.stage, pod + "/volume");
    CHECK(staged.rmdir(pod, force) == "FAILED_PRECONDITION");
    CHECK(fs::exists(pod + "/kept"));
    CHECK(fs::exists(pod + "/volume/file"));
  }
  SECTION("a link to the mount point goes alone") {
    fs::create_directory_symlink(staged.stage, root + "/publish");
    CHECK(staged.rmdir(root + "/publish", force) == "");
  }
  CHECK(staged.is_staged());
}

TEST_CASE("a volume on an allowed root itself stays") {
  Staged staged;
  REQUIRE(staged.client.unmount(staged.id, staged.stage)->code() == StatusCode::kOk);
  fs::remove_all(staged.stage);
  const std::string root = staged.node.directory().root();
  REQUIRE(staged.client.mount(staged.id, root)->code() == StatusCode::kOk);
  CHECK(staged.rmdir(root, GENERATE(false, true)) == "PERMISSION_DENIED");
  CHECK(fs::exists(root + "/file"));
  CHECK(staged.client.unmount(staged.id, root)->code() == StatusCode::kOk);
}

TEST_CASE("without a word in may_call a mounted volume stays, and the error says what to write") {
  Staged staged({.files = "may_call = []\n"});
  CHECK(staged.rmdir(staged.stage, GENERATE(false, true)) == "FAILED_PRECONDITION");
  CHECK_THAT(staged.text, Contains("it is a mount point: ") &&
                              Contains("may_call = [\"v1.Volume/GetVolumeIDFromTargetPath\", "
                                       "\"v1.Volume/UnmountVolume\"]"));
  CHECK(staged.is_staged());
}

TEST_CASE("where the volume group is switched off Rmdir does without it") {
  const DiskNode node({.files = kMayUnmount, .volumes = "enabled = false\n"});
  LoopDisk other(32 * kMebibyte);
  other.make_filesystem();
  const std::string point = node.make_target("point");
  AgentProcess agent(node.directory());
  INFO(node.directory().log());
  REQUIRE(agent.serves());
  CHECK_THAT(node.directory().log(), !Contains("may_call"));
  REQUIRE(::mount(other.node().c_str(), point.c_str(), "ext4", 0, nullptr) == 0);
  TestClient files(node.socket("filesystem", "v1"));
  const auto removed = files.call("v1.Filesystem/Rmdir", rmdir_request("v1", point, true));
  CHECK(removed->code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(removed->text(), Contains("it is a mount point: ") && Contains("may_call = ["));
  CHECK(fs::exists(point + "/lost+found"));
  CHECK(::umount2(point.c_str(), UMOUNT_NOFOLLOW) == 0);
  CHECK(files.call("v1.Filesystem/Rmdir", rmdir_request("v1", point, true))->code() ==
        StatusCode::kOk);
  CHECK(agent.stop() == 0);
}

TEST_CASE("whoever denies UnmountVolume closes this way to it too") {
  Staged staged({.volumes = "deny_methods = [\"v1.Volume/UnmountVolume\"]\n"});
  CHECK(staged.rmdir(staged.stage, GENERATE(false, true)) == "FAILED_PRECONDITION");
  CHECK_THAT(staged.text, Contains("is denied by deny_methods"));
  CHECK(staged.is_staged());
}

TEST_CASE("a caller needs the right to call Rmdir and no other") {
  Staged staged({.volumes = "permissions.stage = {users = [\"root\"], methods = "
                            "[\"v1.Volume/ListVolumesOnDisk\", \"v1.Volume/FormatVolume\", "
                            "\"v1.Volume/MountVolume\"]}\n"});
  REQUIRE(staged.client.unmount(staged.id, staged.stage)->code() == StatusCode::kPermissionDenied);
  CHECK(staged.rmdir(staged.stage, true) == "");
  CHECK(staged.node.mounts().empty());
}

TEST_CASE("a volume whose disk is gone, or lost its table, goes too") {
  const bool force = GENERATE(false, true), is_gone = GENERATE(false, true);
  CAPTURE(force, is_gone);
  Staged staged;
  LoopDisk& disk = staged.node.disk();
  if (is_gone) {
    disk.clear();
  } else {
    write_bytes(disk.node(), 0, std::string(512, '\0'));
    REQUIRE(ids_in(staged.client.list(disk.number())).empty());
  }
  const std::string refused = staged.rmdir(staged.stage, force);
  INFO(staged.text);
  CHECK(refused == "");
  CHECK(staged.node.mounts().empty());
  CHECK_FALSE(fs::exists(staged.stage));
}

TEST_CASE("Rmdir of a volume's directory is repeated until it is answered, however often killed") {
  DiskNode node({.files = kMayUnmount});
  MortalAgent agent(node);
  const std::string stage = node.directory().root() + "/stage";
  std::string id;
  {
    DiskClient client(node);
    client.partition(node.disk().number());
    id = ids_in(client.list(node.disk().number())).at(0);
    REQUIRE(client.format(id)->code() == StatusCode::kOk);
    REQUIRE(client.mount(id, node.make_target("stage"))->code() == StatusCode::kOk);
    write_file(stage + "/file", "content");
    REQUIRE(client.unmount(id, stage)->code() == StatusCode::kOk);
  }
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    {
      DiskClient client(node);
      node.make_target("stage");
      REQUIRE(client.mount(id, stage)->code() == StatusCode::kOk);
      TestClient files(node.socket("filesystem", "v1"));
      const auto cut = files.start("v1.Filesystem/Rmdir", rmdir_request("v1", stage, true));
      // The later the round, the further it may have come.
      files.run_until([&] { return cut->finished(); }, std::chrono::milliseconds(round));
      agent.kill_and_start();
    }
    TestClient files(node.socket("filesystem", "v1"));
    const auto again = files.call("v1.Filesystem/Rmdir", rmdir_request("v1", stage, true));
    INFO(again->text());
    REQUIRE(again->code() == StatusCode::kOk);
    CHECK_FALSE(fs::exists(stage));
    CHECK(node.mounts().empty());
  }
  DiskClient client(node);
  REQUIRE(client.mount(id, node.make_target("stage"))->code() == StatusCode::kOk);
  std::ifstream file(stage + "/file");
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == "content");
  file.close();
  CHECK(client.unmount(id, stage)->code() == StatusCode::kOk);
  CHECK(agent.stop() == 0);
}
