#include "main/described_services.h"

#include <utility>

#include "csi/csi_service.h"
#include "main/endpoint_service.h"
#include "services/agent_service.h"

#if !defined(_WIN32)
#include "kube/kube_service.h"
#endif

namespace longshore {

Result<DescribedServices> described_services() {
  auto all = services::common_host_services();
  auto admin = AdminService::make();
  auto csi = csi::CsiService::make();
  auto http = HttpService::make();
  auto sockets = EndpointService::make();
  if (!all) return std::move(all).error();
  if (!admin) return std::move(admin).error();
  if (!csi) return std::move(csi).error();
  if (!http) return std::move(http).error();
  if (!sockets) return std::move(sockets).error();
  (*all)->add(*admin);
  (*all)->add(*csi);
  (*all)->add(*http);
  (*all)->add(*std::move(sockets));
#if !defined(_WIN32)
  // Behind the drivers' service, which ends first.
  auto kube = kube::KubeService::make(
      {.ready = [csi = *csi](const auto& controller) { return csi->run_condition(controller); },
       .ask_name = [csi = *csi](const std::string& address,
                                auto on_name) { csi->ask_name(address, std::move(on_name)); }});
  if (!kube) return std::move(kube).error();
  (*all)->add(*std::move(kube));
#endif
  return DescribedServices{*std::move(all), admin->get(), http->get()};
}

}  // namespace longshore
