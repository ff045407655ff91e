#include "main/described_services.h"

#include <utility>

#include "csi/csi_service.h"
#include "main/admin_service.h"
#include "main/http_service.h"
#include "services/agent_service.h"

namespace longshore {

Result<std::shared_ptr<services::HostServices>> described_services() {
  auto services = services::common_host_services();
  if (!services) return services;
  Result<loader::ModuleDescription> admin = admin_service_description();
  if (!admin) return std::move(admin).error();
  (*services)->add({.description = *std::move(admin), .for_endpoints = true});
  Result<loader::ModuleDescription> csi = csi::csi_service_description();
  if (!csi) return std::move(csi).error();
  const auto drivers = std::make_shared<csi::CsiService>();
  (*services)->add(
      {.description = *std::move(csi), .target = drivers, .for_modules = true, .stop = [drivers] {
         drivers->stop();
       }});
  Result<loader::ModuleDescription> http = http_service_description();
  if (!http) return std::move(http).error();
  (*services)->add({.description = *std::move(http), .for_modules = true});
  return services;
}

}  // namespace longshore
