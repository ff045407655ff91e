// The CSI access mode of a volume, by the modes that Kubernetes has for it.
//
// Threads: any; a plain function.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "csi/v1.pb.h"
#include "longshore/result.hpp"

namespace longshore::plugins {

// `accessModes` of a PersistentVolume or its claim. What a driver without SINGLE_NODE_MULTI_WRITER
// takes does not tell writers of one node from those of one Pod. INVALID_ARGUMENT: there is none,
// or none that says it all.
inline Result<csi::v1::VolumeCapability::AccessMode::Mode> csi_access_mode(
    const std::vector<std::string>& modes, bool has_single_node_multi_writer) {
  using AccessMode = csi::v1::VolumeCapability::AccessMode;
  const auto has = [&](std::string_view mode) {
    return std::ranges::find(modes, mode) != modes.end();
  };
  const auto refused = [&](const std::string& why) {
    std::string listed;
    for (const std::string& mode : modes) listed += (listed.empty() ? "" : ", ") + mode;
    return Error(StatusCode::kInvalidArgument, "map the access modes", listed).because(why);
  };
  if (has("ReadWriteOncePod")) {
    if (std::ranges::any_of(modes, [](const auto& mode) { return mode != "ReadWriteOncePod"; })) {
      return refused("ReadWriteOncePod stands alone");
    }
    return has_single_node_multi_writer ? AccessMode::SINGLE_NODE_SINGLE_WRITER
                                        : AccessMode::SINGLE_NODE_WRITER;
  }
  if (has("ReadWriteMany")) return AccessMode::MULTI_NODE_MULTI_WRITER;
  if (has("ReadOnlyMany") && has("ReadWriteOnce")) {
    return refused("CSI has no mode for ReadOnlyMany and ReadWriteOnce together");
  }
  if (has("ReadOnlyMany")) return AccessMode::MULTI_NODE_READER_ONLY;
  if (has("ReadWriteOnce")) {
    return has_single_node_multi_writer ? AccessMode::SINGLE_NODE_MULTI_WRITER
                                        : AccessMode::SINGLE_NODE_WRITER;
  }
  return refused(modes.empty() ? "there are none" : "none of them is known");
}

}  // namespace longshore::plugins
