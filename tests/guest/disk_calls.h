// The disk group's calls as the guest's tests make them; a disk is anything that has a number.
#pragma once

#include <memory>

#include "disk/v1.pb.h"
#include "tests/guest/guest_agent.h"

namespace longshore::test {

template <typename Request, typename Disk>
Request about(const Disk& disk) {
  Request request;
  request.set_disk_number(disk.number());
  return request;
}

inline v1::ListDiskIDsResponse identities(GuestAgent& agent) {
  return agent.get<v1::ListDiskIDsResponse>("disk", "v1.Disk/ListDiskIDs",
                                            v1::ListDiskIDsRequest());
}

template <typename Disk>
int64_t size_of(GuestAgent& agent, const Disk& disk) {
  return agent
      .get<v1::GetDiskStatsResponse>("disk", "v1.Disk/GetDiskStats",
                                     about<v1::GetDiskStatsRequest>(disk))
      .total_bytes();
}

template <typename Disk>
std::shared_ptr<Answer> partition(GuestAgent& agent, const Disk& disk) {
  return agent.call("disk", "v1.Disk/PartitionDisk", about<v1::PartitionDiskRequest>(disk));
}

inline void rescan(GuestAgent& agent) {
  agent.get<v1::RescanResponse>("disk", "v1.Disk/Rescan", v1::RescanRequest());
}

}  // namespace longshore::test
