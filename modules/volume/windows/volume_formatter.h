// Making a filesystem, by WMI: Windows has no documented function for it. fmifs.dll has one that is
// not, and is not needed: every Windows since 8 and Server 2012 has the class MSFT_Volume.
//
// Threads: any number at once. Owner: outlives its calls; the layer outlives it.
#pragma once

#include <string>
#include <utility>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/windows/wmi.h"

namespace longshore::volume {

class VolumeFormatter {
 public:
  // "NTFS" or "ReFS".
  VolumeFormatter(support::Wmi& wmi, std::string filesystem)
      : wmi_(wmi), filesystem_(std::move(filesystem)) {}

  const std::string& filesystem() const { return filesystem_; }

  // A quick format with the default allocation unit and no label, whatever the volume holds.
  // UNAVAILABLE: WMI does not know the volume (yet).
  Result<void> format(const std::string& volume_id, const Deadline& deadline);

 private:
  // Its path; "" if WMI has no such volume.
  Result<std::string> object_of(const std::string& volume_id, const Deadline& deadline);

  support::Wmi& wmi_;
  const std::string filesystem_;
};

}  // namespace longshore::volume
