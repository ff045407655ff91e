// The service does its work with what its unit leaves it of root's power: disks, volumes, shares
// and targets; and its modules' processes have the limits that Delegate= lets it set.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "disk/v1.pb.h"
#include "iscsi/v1alpha2.pb.h"
#include "smb/v1.pb.h"
#include "tests/guest/file_server.h"
#include "tests/guest/lio_target.h"
#include "tests/guest/scsi_disk.h"
#include "tests/guest/service_world.h"
#include "tests/support/eventually.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"
#include "volume/v1.pb.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

std::vector<pid_t> members(const std::string& group) {
  std::ifstream file(group + "/cgroup.procs");
  return {std::istream_iterator<pid_t>(file), {}};
}

}  // namespace

TEST_CASE("A disk becomes a volume and is mounted for the whole node") {
  InstalledAgent agent;
  const ScsiDisk disk;
  v1::PartitionDiskRequest partition;
  partition.set_disk_number(disk.number());
  agent.get<v1::PartitionDiskResponse>("disk", "v1.Disk/PartitionDisk", partition);
  v1::ListVolumesOnDiskRequest list;
  list.set_disk_number(disk.number());
  const auto volumes =
      agent.get<v1::ListVolumesOnDiskResponse>("volume", "v1.Volume/ListVolumesOnDisk", list);
  REQUIRE(volumes.volume_ids_size() == 1);
  v1::FormatVolumeRequest format;
  format.set_volume_id(volumes.volume_ids(0));
  agent.get<v1::FormatVolumeResponse>("volume", "v1.Volume/FormatVolume", format);

  v1::MountVolumeRequest mount;
  mount.set_volume_id(volumes.volume_ids(0));
  mount.set_target_path(agent.in_root("volume"));
  fs::create_directories(mount.target_path());
  agent.get<v1::MountVolumeResponse>("volume", "v1.Volume/MountVolume", mount);
  write_file(mount.target_path() + "/kept", "what was written");
  // Mounts outlive the service.
  agent.must("restart");
  CHECK(read_file(mount.target_path() + "/kept") == "what was written");

  v1::UnmountVolumeRequest unmount;
  unmount.set_volume_id(volumes.volume_ids(0));
  unmount.set_target_path(mount.target_path());
  agent.get<v1::UnmountVolumeResponse>("volume", "v1.Volume/UnmountVolume", unmount);
  CHECK_FALSE(fs::exists(agent.in_root("volume/kept")));
}

TEST_CASE("A share is mapped") {
  const FileServer server;
  InstalledAgent agent;
  v1::NewSmbGlobalMappingRequest request;
  request.set_remote_path("\\\\127.0.0.1\\share");
  request.set_local_path(agent.in_root("share"));
  request.set_username(FileServer::kUser);
  request.set_password(FileServer::kFirstPassword);
  agent.get<v1::NewSmbGlobalMappingResponse>("smb", "v1.Smb/NewSmbGlobalMapping", request);
  write_file(agent.in_root("share/file"), "over the network");
  CHECK(read_file(std::string(FileServer::kDirectory) + "/file") == "over the network");
  CHECK(agent.journal().find(FileServer::kFirstPassword) == std::string::npos);

  fs::remove(agent.in_root("share"));
  v1::RemoveSmbGlobalMappingRequest removal;
  removal.set_remote_path(request.remote_path());
  agent.get<v1::RemoveSmbGlobalMappingResponse>("smb", "v1.Smb/RemoveSmbGlobalMapping", removal);
}

TEST_CASE("A target is connected") {
  const LioTarget target({});
  InstalledAgent agent;
  const std::string service = "v1alpha2.Iscsi/";
  v1alpha2::AddTargetPortalRequest add;
  add.mutable_target_portal()->set_target_address(LioTarget::kAddress);
  add.mutable_target_portal()->set_target_port(LioTarget::kPort);
  agent.get<v1alpha2::AddTargetPortalResponse>("iscsi", service + "AddTargetPortal", add);
  v1alpha2::DiscoverTargetPortalRequest discover;
  *discover.mutable_target_portal() = add.target_portal();
  const auto found = agent.get<v1alpha2::DiscoverTargetPortalResponse>(
      "iscsi", service + "DiscoverTargetPortal", discover);
  REQUIRE(found.iqns_size() == 1);
  v1alpha2::ConnectTargetRequest connect;
  *connect.mutable_target_portal() = add.target_portal();
  connect.set_iqn(found.iqns(0));
  agent.get<v1alpha2::ConnectTargetResponse>("iscsi", service + "ConnectTarget", connect);
  v1alpha2::GetTargetDisksRequest disks;
  *disks.mutable_target_portal() = add.target_portal();
  disks.set_iqn(found.iqns(0));
  CHECK(agent.get<v1alpha2::GetTargetDisksResponse>("iscsi", service + "GetTargetDisks", disks)
            .diskids_size() == 1);
  v1alpha2::DisconnectTargetRequest disconnect;
  *disconnect.mutable_target_portal() = add.target_portal();
  disconnect.set_iqn(found.iqns(0));
  agent.get<v1alpha2::DisconnectTargetResponse>("iscsi", service + "DisconnectTarget", disconnect);
}

TEST_CASE("A module's process has the limits of its table, and falls alone") {
  InstalledAgent agent(
      hostile_lines("eats_memory", "cpu_max = 0.5\nmemory_max = 50000000\nprocesses_max = 50\n"));
  agent.must("start");
  const pid_t process = agent.process();
  const std::string group = agent.cgroup() + "/module-hostile";
  CHECK(eventually([&] { return members(group).size() == 1; }));
  CHECK(read_file(group + "/cpu.max") == "50000 100000\n");
  CHECK(read_file(group + "/memory.max") == "49999872\n");  // whole pages
  CHECK(read_file(group + "/pids.max") == "50\n");

  const auto answer = provoke("");
  CAPTURE(answer->text());
  CHECK(answer->text().find("was killed by SIGKILL (at memory_max") != std::string::npos);
  CHECK(agent.process() == process);
  CHECK(agent.property("ActiveState") == "active");
  CHECK(agent.asks() == StatusCode::kOk);
}

TEST_CASE("What a module had to leave behind keeps no agent from its start", "[thorough]") {
  InstalledAgent agent(hostile_lines("forks_away", "cpu_max = 0.5\nmemory_max = 100000000\n"));
  agent.must("start");
  const std::string lasting = agent.cgroup() + "/lasting-hostile";
  REQUIRE(provoke("1")->code() == StatusCode::kOk);
  REQUIRE(members(lasting).size() == 2);
  SECTION("after an agent that ended in order") { agent.must("restart"); }
  SECTION("after one that was killed") {
    const pid_t process = agent.process();
    REQUIRE(kill(process, SIGKILL) == 0);
    REQUIRE(eventually([&] { return agent.property("NRestarts") != "0"; }));
  }
  CHECK(agent.asks() == StatusCode::kOk);
  CHECK(agent.property("NRestarts").size() == 1);
  REQUIRE(members(lasting).size() == 1);
  // Its successor is limited as it was.
  const std::string next = agent.cgroup() + "/lasting-hostile-2";
  CHECK(eventually([&] { return members(next).size() == 1; }));
  CHECK(read_file(next + "/cpu.max") == "50000 100000\n");
  kill(members(lasting).at(0), SIGKILL);
}
