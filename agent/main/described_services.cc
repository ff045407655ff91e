#include "main/described_services.h"

#include <utility>

#include "main/admin_service.h"

namespace longshore {

Result<std::shared_ptr<services::HostServices>> described_services() {
  auto services = std::make_shared<services::HostServices>();
  Result<loader::ModuleDescription> admin = admin_service_description();
  if (!admin) return std::move(admin).error();
  services->add({.description = *std::move(admin), .for_endpoints = true});
  return services;
}

}  // namespace longshore
