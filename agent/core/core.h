// What every agent is made of, whether it has sockets or lives inside another program: the router,
// the modules behind it and what is known of their services.
//
// The parts stand in the order in which they need each other. Threads: see each part. Owner: the
// agent's process (main) or an embedded agent; the log outlives it.
#pragma once

#include <memory>
#include <utility>

#include "config/settings.h"
#include "core/inspected_modules.h"
#include "core/module_set.h"
#include "loader/service_catalog.h"
#include "observe/call_metrics.h"
#include "observe/log.h"
#include "router/router.h"
#include "router/timers.h"
#include "services/host_services.h"

namespace longshore::core {

struct Core {
  Core(router::RouterOptions options, std::unique_ptr<InspectedModules> inspected_modules,
       observe::Log& log)
      : inspected(std::move(inspected_modules)),
        audit(log, timers),
        router(timers, with(options, log, audit)),
        host_services(inspected->services()),
        modules(*inspected, host_services, router, catalog, call_metrics, log) {}

  observe::CallMetrics call_metrics;
  router::Timers timers;
  const std::unique_ptr<InspectedModules> inspected;  // with the host services, which use timers
  router::AuditLog audit;                             // off until it is opened
  router::Router router;
  loader::CatalogHolder catalog;
  services::HostServices& host_services;
  ModuleSet modules;

  static router::RouterOptions with(router::RouterOptions options, observe::Log& log,
                                    router::AuditLog& audit) {
    options.log = &log;
    options.audit = &audit;
    return options;
  }
  static router::RouterOptions router_options(const config::AgentSettings& settings,
                                              router::MemoryReserve* memory = nullptr) {
    router::RouterOptions options;
    options.memory = memory;
    options.max_message_bytes = static_cast<size_t>(settings.limits.max_response_bytes);
    return options;
  }
};

}  // namespace longshore::core
