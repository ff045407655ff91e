// The volumes on this node's disks, by their ids.
//
// An id is what Windows calls the volume, "\\?\Volume{...}\", which outlives restarts; in it the
// GUID alone counts, in any case. Of a GPT's partition it is the partition's own GUID, so that
// volumes of disks that are offline, which Windows does not have, are known by their disks' tables.
//
// Threads: any number at once. Owner: outlives its calls; the layers outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "support/windows/device_control.h"
#include "support/windows/drive_layout.h"
#include "support/windows/node_volumes.h"
#include "support/windows/volume_functions.h"

namespace longshore::volume {

struct Volume {
  std::string id;
  std::vector<support::DiskExtent> extents;  // at least one
  bool is_online = true;

  const support::DiskExtent& first() const { return extents.front(); }
  uint32_t disk() const { return first().disk; }
  std::wstring name() const;    // "\\?\Volume{...}\", its root directory
  std::wstring device() const;  // without the last backslash: the volume itself
};

class VolumeFinder {
 public:
  VolumeFinder(support::DeviceControl& devices, support::VolumeFunctions& functions)
      : devices_(devices), functions_(functions), volumes_(devices, functions) {}

  // NOT_FOUND: no volume has the id. FAILED_PRECONDITION: its disk is offline. UNAVAILABLE: it is
  // not to be found, and a disk cannot be read.
  Result<Volume> find(const std::string& id, std::string_view operation) const;
  // The same, of disks that are offline too.
  Result<Volume> find_unserved(const std::string& id, std::string_view operation) const;

  // Whether any volume has the name, also one that lies on no disk.
  Result<bool> is_known(const std::string& id, std::string_view operation) const;

  // Those on a disk, in the order of their places.
  Result<std::vector<Volume>> on_disk(uint32_t number, std::string_view operation) const;

  const support::NodeVolumes& node_volumes() const { return volumes_; }

 private:
  Result<std::optional<Volume>> find_offline(const support::Guid& guid,
                                             std::string_view operation) const;

  support::DeviceControl& devices_;
  support::VolumeFunctions& functions_;
  support::NodeVolumes volumes_;
};

}  // namespace longshore::volume
