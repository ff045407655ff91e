#include "driver_capabilities.h"

#include <algorithm>

namespace longshore::external_attacher {

using csi::v1::ControllerServiceCapability;
using csi::v1::PluginCapability;
using Rpc = ControllerServiceCapability::RPC;

bool has_controller_service(const csi::v1::GetPluginCapabilitiesResponse& plugin) {
  return std::ranges::any_of(plugin.capabilities(), [](const PluginCapability& capability) {
    return capability.service().type() == PluginCapability::Service::CONTROLLER_SERVICE;
  });
}

DriverCapabilities driver_capabilities(
    const csi::v1::GetPluginCapabilitiesResponse& plugin,
    const csi::v1::ControllerGetCapabilitiesResponse& controller) {
  if (!has_controller_service(plugin)) return {};
  const auto has = [&](Rpc::Type type) {
    return std::ranges::any_of(controller.capabilities(),
                               [&](const ControllerServiceCapability& capability) {
                                 return capability.rpc().type() == type;
                               });
  };
  return {.publishes_volumes = has(Rpc::PUBLISH_UNPUBLISH_VOLUME),
          .publishes_read_only = has(Rpc::PUBLISH_READONLY),
          .lists_published_nodes = has(Rpc::LIST_VOLUMES) && has(Rpc::LIST_VOLUMES_PUBLISHED_NODES),
          .has_single_node_multi_writer = has(Rpc::SINGLE_NODE_MULTI_WRITER)};
}

}  // namespace longshore::external_attacher
