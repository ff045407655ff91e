// The volume group on SCSI disks of a real kernel, with the filesystems that it has. "csi-proxy 10"
// is the case with that number in csi-proxy's integration tests.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "disk/v1.pb.h"
#include "filesystem/v1.pb.h"
#include "support/linux/command.h"
#include "tests/guest/growing_disk.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/scsi_disk.h"
#include "tests/support/temporary_directory.h"
#include "volume/v1.pb.h"
#include "volume/v2alpha1.pb.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

// A disk with one volume on it, and what a driver does with it.
class Volume {
 public:
  Volume(GuestAgent& agent, uint32_t disk) : agent_(agent) {
    v1::PartitionDiskRequest partition;
    partition.set_disk_number(disk);
    agent.get<v1::PartitionDiskResponse>("disk", "v1.Disk/PartitionDisk", partition);
    v1::ListVolumesOnDiskRequest request;
    request.set_disk_number(disk);
    const auto list =
        agent.get<v1::ListVolumesOnDiskResponse>("volume", "v1.Volume/ListVolumesOnDisk", request);
    REQUIRE(list.volume_ids_size() == 1);
    id_ = list.volume_ids(0);
  }

  const std::string& id() const { return id_; }

  template <typename Request>
  Request about() const {
    Request request;
    request.set_volume_id(id_);
    return request;
  }

  bool is_formatted() {
    return agent_
        .get<v1::IsVolumeFormattedResponse>("volume", "v1.Volume/IsVolumeFormatted",
                                            about<v1::IsVolumeFormattedRequest>())
        .formatted();
  }
  std::shared_ptr<Answer> try_to_format() {
    return agent_.call("volume", "v1.Volume/FormatVolume", about<v1::FormatVolumeRequest>());
  }
  void format() {
    const auto answer = try_to_format();
    INFO(answer->text());
    REQUIRE(answer->code() == StatusCode::kOk);
  }
  int64_t total_bytes() {
    return agent_
        .get<v1::GetVolumeStatsResponse>("volume", "v1.Volume/GetVolumeStats",
                                         about<v1::GetVolumeStatsRequest>())
        .total_bytes();
  }
  std::shared_ptr<Answer> resize(int64_t bytes) {
    auto request = about<v1::ResizeVolumeRequest>();
    request.set_size_bytes(bytes);
    return agent_.call("volume", "v1.Volume/ResizeVolume", request);
  }
  std::shared_ptr<Answer> mount(const std::string& target) {
    auto request = about<v1::MountVolumeRequest>();
    request.set_target_path(target);
    return agent_.call("volume", "v1.Volume/MountVolume", request);
  }
  std::shared_ptr<Answer> unmount(const std::string& target) {
    auto request = about<v1::UnmountVolumeRequest>();
    request.set_target_path(target);
    return agent_.call("volume", "v1.Volume/UnmountVolume", request);
  }

 private:
  GuestAgent& agent_;
  std::string id_;
};

std::string make_target(const GuestAgent& agent, const std::string& name) {
  const std::string target = agent.root() + "/" + name;
  fs::create_directories(target);
  return target;
}

bool is_around(int64_t size, int64_t expected) {
  return size <= expected && size + 20 * kMebibyte >= expected;
}

}  // namespace

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
  Volume volume(agent, disk.number());
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
  v1::GetVolumeIDFromTargetPathRequest which;
  which.set_target_path(target);
  CHECK(agent
            .get<v1::GetVolumeIDFromTargetPathResponse>(
                "volume", "v1.Volume/GetVolumeIDFromTargetPath", which)
            .volume_id() == volume.id());

  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
  CHECK_FALSE(fs::exists(target + "/kept"));
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  CHECK(fs::exists(target + "/kept"));
  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
}

TEST_CASE("A new volume can be used at once, whatever udev does with its disk meanwhile") {
  GuestAgent agent;
  const std::string target = make_target(agent, "volume");
  for (int round = 0; round < 4; ++round) {
    const ScsiDisk disk;
    Volume volume(agent, disk.number());
    CHECK(fs::exists(disk.node() + "1"));
    volume.format();
    CHECK(volume.is_formatted());
    REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
    CHECK(volume.unmount(target)->code() == StatusCode::kOk);
  }
}

TEST_CASE("A volume becomes NTFS where the kernel has ntfs3, and stays as it is elsewhere") {
  static_cast<void>(support::run_command({"/sbin/modprobe", "-q", "ntfs3"}, {}));
  GuestAgent agent({.filesystem = "ntfs"});
  const ScsiDisk disk;
  Volume volume(agent, disk.number());
  const auto formatted = volume.try_to_format();
  CAPTURE(formatted->text());
  if (formatted->code() != StatusCode::kOk) {
    const bool has_no_program = formatted->code() == StatusCode::kUnimplemented;
    CHECK((has_no_program || formatted->code() == StatusCode::kFailedPrecondition));
    CHECK_FALSE(volume.is_formatted());
    return;
  }
  const std::string target = make_target(agent, "volume");
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  write_file(target + "/kept", "what was written");
  CHECK(is_around(volume.total_bytes(), 64 * kMebibyte));
  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
}

TEST_CASE("csi-proxy 13: a path's volume is the nearest one above it") {
  GuestAgent agent;
  const ScsiDisk disk;
  Volume volume(agent, disk.number());
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

TEST_CASE("A disk unplugged under a mounted volume leaves an agent that unmounts it") {
  GuestAgent agent;
  const ScsiDisk disk;
  Volume volume(agent, disk.number());
  volume.format();
  const std::string target = make_target(agent, "volume");
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  disk.unplug();
  const auto unmounted = volume.unmount(target);
  CAPTURE(unmounted->text());
  CHECK(unmounted->code() == StatusCode::kOk);
  // The agent lives, and serves others.
  const ScsiDisk other;
  Volume second(agent, other.number());
  CHECK_FALSE(second.is_formatted());
}
