// What a CSI driver says that it can do, as far as attaching goes.
//
// Threads: any; values.
#pragma once

#include "csi/v1.pb.h"

namespace longshore::external_attacher {

struct DriverCapabilities {
  // CONTROLLER_SERVICE and PUBLISH_UNPUBLISH_VOLUME. Without it volumes need no attaching, and
  // Kubernetes is just told that they are.
  bool publishes_volumes = false;
  bool publishes_read_only = false;    // PUBLISH_READONLY
  bool lists_published_nodes = false;  // LIST_VOLUMES and LIST_VOLUMES_PUBLISHED_NODES
  bool has_single_node_multi_writer = false;

  bool operator==(const DriverCapabilities&) const = default;
};

bool has_controller_service(const csi::v1::GetPluginCapabilitiesResponse& plugin);

// `controller`: empty where there is no controller service, which is not asked then.
DriverCapabilities driver_capabilities(
    const csi::v1::GetPluginCapabilitiesResponse& plugin,
    const csi::v1::ControllerGetCapabilitiesResponse& controller);

}  // namespace longshore::external_attacher
