#include "main/described_services.h"

#include <utility>

#include "main/admin_service.h"
#include "services/agent_service.h"

namespace longshore {

Result<std::shared_ptr<services::HostServices>> described_services() {
  auto services = services::common_host_services();
  if (!services) return services;
  Result<loader::ModuleDescription> admin = admin_service_description();
  if (!admin) return std::move(admin).error();
  (*services)->add({.description = *std::move(admin), .for_endpoints = true});
  return services;
}

}  // namespace longshore
