#include "driver.h"

namespace longshore::external_attacher {

Result<Driver::Identity> Driver::identify() {
  const auto probe =
      call<csi::v1::ProbeResponse>("Identity/Probe", csi::v1::ProbeRequest(), timeout_);
  if (!probe) return probe.error();
  if (probe->has_ready() && !probe->ready().value()) {
    return Error(StatusCode::kUnavailable, "attach volumes by the CSI driver at", address_)
        .because("it is not ready");
  }
  const auto info = call<csi::v1::GetPluginInfoResponse>("Identity/GetPluginInfo",
                                                         csi::v1::GetPluginInfoRequest(), timeout_);
  if (!info) return info.error();
  if (info->name().empty()) {
    return Error(StatusCode::kFailedPrecondition, "attach volumes by the CSI driver at", address_)
        .because("it has no name");
  }
  const auto plugin = call<csi::v1::GetPluginCapabilitiesResponse>(
      "Identity/GetPluginCapabilities", csi::v1::GetPluginCapabilitiesRequest(), timeout_);
  if (!plugin) return plugin.error();
  csi::v1::ControllerGetCapabilitiesResponse controller;
  if (has_controller_service(*plugin)) {
    auto answer = call<csi::v1::ControllerGetCapabilitiesResponse>(
        "Controller/ControllerGetCapabilities", csi::v1::ControllerGetCapabilitiesRequest(),
        timeout_);
    if (!answer) return std::move(answer).error();
    controller = *std::move(answer);
  }
  return Identity{info->name(), driver_capabilities(*plugin, controller)};
}

Result<PublishedVolumes> Driver::list_volumes(int max_entries) {
  const auto end = std::chrono::steady_clock::now() + timeout_;
  PublishedVolumes published;
  csi::v1::ListVolumesRequest request;
  request.set_max_entries(max_entries);
  while (true) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) {
      return Error(StatusCode::kDeadlineExceeded, "list the volumes of the CSI driver at",
                   address_);
    }
    const auto page = call<csi::v1::ListVolumesResponse>("Controller/ListVolumes", request, left);
    if (!page) return page.error();
    published.add(*page);
    if (page->next_token().empty()) return published;
    request.set_starting_token(page->next_token());
  }
}

}  // namespace longshore::external_attacher
