// The volumes of this node and the disks that they lie on.
//
// Threads: any number at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "support/windows/device_control.h"
#include "support/windows/disk_answers.h"
#include "support/windows/volume_functions.h"

namespace longshore::support {

struct NodeVolume {
  std::wstring name;  // "\\?\Volume{...}\"
  std::vector<DiskExtent> extents;

  bool lies_on(uint32_t disk) const;
  // "\\?\Volume{...}", which is the device and not its root directory.
  std::wstring device() const { return name.substr(0, name.size() - 1); }
};

class NodeVolumes {
 public:
  // Both outlive it.
  NodeVolumes(DeviceControl& devices, VolumeFunctions& functions)
      : devices_(devices), functions_(functions) {}

  // Those that lie on disks. One that does not say where is left out: a drive without a medium.
  Result<std::vector<NodeVolume>> all(std::string_view operation) const;
  Result<std::vector<NodeVolume>> on_disk(uint32_t number, std::string_view operation) const;

  // FAILED_PRECONDITION if Windows needs the disk: its own directory, a page file or what it starts
  // from lies there, or one of the `needed` volumes, by the paths of their devices. Such disks
  // refuse every change, and so does every disk while nobody can tell on which Windows lies.
  Result<void> check_not_system_disk(uint32_t number, std::string_view operation,
                                     const std::vector<std::wstring>& needed = {}) const;

 private:
  struct Asked {
    std::error_code error;
    std::optional<std::vector<DiskExtent>> extents;  // nothing also if the answer is not whole
  };
  Asked extents_of(const std::wstring& device) const;

  DeviceControl& devices_;
  VolumeFunctions& functions_;
};

}  // namespace longshore::support
