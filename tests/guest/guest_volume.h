// A volume in the guest, and what a driver does with it by calls to the agent.
//
// Threads: one.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "disk/v1.pb.h"
#include "tests/guest/group_clients.h"
#include "tests/guest/guest_agent.h"
#include "volume/v1.pb.h"

namespace longshore::test {

class GuestVolume {
 public:
  GuestVolume(GroupClients& agent, uint32_t disk) : agent_(agent) {
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
  // The id of what is mounted there.
  std::string id_at(const std::string& target) {
    v1::GetVolumeIDFromTargetPathRequest request;
    request.set_target_path(target);
    return agent_
        .get<v1::GetVolumeIDFromTargetPathResponse>("volume", "v1.Volume/GetVolumeIDFromTargetPath",
                                                    request)
        .volume_id();
  }

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
  v1::GetVolumeStatsResponse stats() {
    return agent_.get<v1::GetVolumeStatsResponse>("volume", "v1.Volume/GetVolumeStats",
                                                  about<v1::GetVolumeStatsRequest>());
  }
  int64_t total_bytes() { return stats().total_bytes(); }
  std::shared_ptr<Answer> flush() {
    return agent_.call("volume", "v1.Volume/WriteVolumeCache",
                       about<v1::WriteVolumeCacheRequest>());
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
  GroupClients& agent_;
  std::string id_;
};

inline std::string make_target(const GuestAgent& agent, const std::string& name) {
  const std::string target = agent.root() + "/" + name;
  std::filesystem::create_directories(target);
  return target;
}

inline bool is_around(int64_t size, int64_t expected) {
  return size <= expected && size + 20 * kMebibyte >= expected;
}

}  // namespace longshore::test
