// The services that the agent offers itself, described before any configuration is read, so that
// configurations can name them.
//
// Threads: any.
#pragma once

#include <memory>

#include "longshore/result.hpp"
#include "main/admin_service.h"
#include "main/http_service.h"
#include "services/host_services.h"

namespace longshore {

struct DescribedServices {
  // Given to the inspected modules, so that the services end with the agent whose timers they use.
  std::shared_ptr<services::HostServices> all;
  // Two of them, which the agent has more to do with.
  AdminService* admin;
  HttpService* http;
};

Result<DescribedServices> described_services();

}  // namespace longshore
