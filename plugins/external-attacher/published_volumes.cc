#include "published_volumes.h"

namespace longshore::external_attacher {

void PublishedVolumes::add(const csi::v1::ListVolumesResponse& page) {
  for (const auto& entry : page.entries()) {
    if (!entry.has_volume() || !entry.has_status()) continue;
    nodes_[entry.volume().volume_id()].insert(entry.status().published_node_ids().begin(),
                                              entry.status().published_node_ids().end());
  }
}

bool PublishedVolumes::has(const std::string& volume_id, const std::string& node_id) const {
  const auto found = nodes_.find(volume_id);
  return found != nodes_.end() && found->second.contains(node_id);
}

}  // namespace longshore::external_attacher
