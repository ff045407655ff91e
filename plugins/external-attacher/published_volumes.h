// On which nodes a CSI driver has its volumes, by all pages of a ListVolumes.
//
// Threads: one at a time. Owner: who asks the driver.
#pragma once

#include <map>
#include <set>
#include <string>

#include "csi/v1.pb.h"

namespace longshore::external_attacher {

class PublishedVolumes {
 public:
  // An entry without a volume or a status says nothing.
  void add(const csi::v1::ListVolumesResponse& page);

  bool has(const std::string& volume_id, const std::string& node_id) const;

 private:
  std::map<std::string, std::set<std::string>> nodes_;  // by volume
};

}  // namespace longshore::external_attacher
