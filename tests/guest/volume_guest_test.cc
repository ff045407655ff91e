// The volume group on SCSI disks of a real kernel, with the filesystems that it has. "csi-proxy 10"
// is the case with that number in csi-proxy's integration tests.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "disk/v1.pb.h"
#include "tests/guest/growing_disk.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/guest_volume.h"
#include "tests/guest/scsi_disk.h"
#include "tests/support/program_run.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"
#include "volume/v1.pb.h"
#include "volume/v2alpha1.pb.h"

using namespace longshore;
using namespace longshore::test;

namespace fs = std::filesystem;

TEST_CASE("csi-proxy 10: ids that name no volume are refused") {
  GuestAgent agent;
  for (const std::string id : {"", "-1"}) {
    CAPTURE(id);
    v1::IsVolumeFormattedRequest formatted;
    formatted.set_volume_id(id);
    CHECK(agent.call("volume", "v1.Volume/IsVolumeFormatted", formatted)->code() !=
          StatusCode::kOk);
    v1::FormatVolumeRequest format;
    format.set_volume_id(id);
    CHECK(agent.call("volume", "v1.Volume/FormatVolume", format)->code() != StatusCode::kOk);
    v1::ResizeVolumeRequest resize;
    resize.set_volume_id(id);
    resize.set_size_bytes(2 * kMebibyte);
    CHECK(agent.call("volume", "v1.Volume/ResizeVolume", resize)->code() != StatusCode::kOk);
    v1::GetVolumeStatsRequest stats;
    stats.set_volume_id(id);
    CHECK(agent.call("volume", "v1.Volume/GetVolumeStats", stats)->code() != StatusCode::kOk);
    v1::MountVolumeRequest mount;
    mount.set_volume_id(id);
    CHECK(agent.call("volume", "v1.Volume/MountVolume", mount)->code() != StatusCode::kOk);
    v1::UnmountVolumeRequest unmount;
    unmount.set_volume_id(id);
    CHECK(agent.call("volume", "v1.Volume/UnmountVolume", unmount)->code() != StatusCode::kOk);
  }
}

TEST_CASE("csi-proxy 11: a volume is made, mounted, grown while it is in use, and left") {
  const std::string filesystem = GENERATE("ext4", "xfs", "btrfs");
  CAPTURE(filesystem);
  GuestAgent agent({.filesystem = filesystem});
  GrowingDisk disk(512 * kMebibyte);
  GuestVolume volume(agent, disk.number());
  CHECK_FALSE(volume.is_formatted());
  volume.format();
  CHECK(volume.is_formatted());

  const std::string target = make_target(agent, "volume");
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  CHECK(volume.mount(target)->code() == StatusCode::kOk);
  write_file(target + "/kept", "what was written");
  CHECK(is_around(volume.total_bytes(), 512 * kMebibyte));

  disk.grow(1024 * kMebibyte);
  agent.get<v1::RescanResponse>("disk", "v1.Disk/Rescan", v1::RescanRequest());
  const auto grown = volume.resize(768 * kMebibyte);
  CAPTURE(grown->text());
  CHECK(grown->code() == StatusCode::kOk);
  CHECK(is_around(volume.total_bytes(), 768 * kMebibyte));
  CHECK(volume.resize(768 * kMebibyte)->code() == StatusCode::kOk);

  v1::GetDiskNumberFromVolumeIDRequest whose = volume.about<v1::GetDiskNumberFromVolumeIDRequest>();
  CHECK(agent
            .get<v1::GetDiskNumberFromVolumeIDResponse>(
                "volume", "v1.Volume/GetDiskNumberFromVolumeID", whose)
            .disk_number() == disk.number());
  CHECK(volume.id_at(target) == volume.id());

  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
  CHECK_FALSE(fs::exists(target + "/kept"));
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  CHECK(fs::exists(target + "/kept"));
  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
}

TEST_CASE("A new volume can be used at once, whatever udev does with its disk meanwhile",
          "[thorough]") {
  GuestAgent agent;
  const std::string target = make_target(agent, "volume");
  for (int round = 0; round < 4; ++round) {
    const ScsiDisk disk;
    GuestVolume volume(agent, disk.number());
    CHECK(fs::exists(disk.node() + "1"));
    volume.format();
    CHECK(volume.is_formatted());
    REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
    CHECK(volume.unmount(target)->code() == StatusCode::kOk);
  }
}

TEST_CASE("csi-proxy 13: a path's volume is the nearest one above it") {
  GuestAgent agent;
  const ScsiDisk disk;
  GuestVolume volume(agent, disk.number());
  volume.format();
  const std::string target = make_target(agent, "volume");
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  fs::create_directories(target + "/foo/bar");
  fs::create_directory_symlink(target, agent.root() + "/elsewhere");
  for (const std::string& path : {target + "/foo/bar", agent.root() + "/elsewhere"}) {
    CAPTURE(path);
    v2alpha1::GetClosestVolumeIDFromTargetPathRequest request;
    request.set_target_path(path);
    CHECK(agent
              .get<v2alpha1::GetClosestVolumeIDFromTargetPathResponse>(
                  "volume", "v2alpha1.Volume/GetClosestVolumeIDFromTargetPath", request)
              .volume_id() == volume.id());
  }
  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
}

TEST_CASE("A disk unplugged under a mounted volume leaves an agent that unmounts it",
          "[thorough]") {
  GuestAgent agent;
  const ScsiDisk disk;
  GuestVolume volume(agent, disk.number());
  volume.format();
  const std::string target = make_target(agent, "volume");
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  disk.unplug();
  const auto unmounted = volume.unmount(target);
  CAPTURE(unmounted->text());
  CHECK(unmounted->code() == StatusCode::kOk);
  // The agent lives, and serves others.
  const ScsiDisk other;
  GuestVolume second(agent, other.number());
  CHECK_FALSE(second.is_formatted());
}

TEST_CASE("A volume of a type that is not mounted by default is mounted where a setting names it",
          "[thorough]") {
  if (run_program({"/usr/sbin/modprobe", "vfat"}).exit_code != 0) {
    std::cout << "SKIPPED: this guest's kernel has no vfat\n";
    SUCCEED();
    return;
  }
  const ScsiDisk disk;
  {
    GuestAgent agent;
    GuestVolume volume(agent, disk.number());
    const ProgramRun made = run_program({"/usr/sbin/mkfs.vfat", disk.node() + "1"});
    INFO(made.errors);
    REQUIRE(made.exit_code == 0);
    const auto refused = volume.mount(make_target(agent, "volume"));
    CHECK(refused->code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(refused->text(), Catch::Contains("the type vfat are not mounted here"));
  }
  GuestAgent agent({.volume = "settings.allowed_filesystems = [\"ext4\", \"vfat\"]\n"});
  GuestVolume volume(agent, disk.number());
  CHECK(volume.is_formatted());
  const std::string target = make_target(agent, "volume");
  for (int time = 0; time < 2; ++time) {
    const auto mounted = volume.mount(target);
    INFO(mounted->text());
    REQUIRE(mounted->code() == StatusCode::kOk);
    if (time == 0) write_file(target + "/kept", "what was written");
    CHECK(read_file(target + "/kept") == "what was written");
    CHECK(volume.unmount(target)->code() == StatusCode::kOk);
  }
}
