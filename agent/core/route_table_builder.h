// Makes the routes and the catalog of services out of what has become of the modules.
//
// Threads: one at a time. Owner: the module set.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/module_entry.h"
#include "loader/service_catalog.h"
#include "observe/call_metrics.h"
#include "router/router.h"
#include "services/host_services.h"

namespace longshore::core {

// By module: what takes its calls instead of its instance, while that is replaced.
using StandIns = std::map<std::string, std::shared_ptr<router::Target>>;

// What takes the calls of a module: its instance, or one that says why there is none.
std::shared_ptr<router::Target> target_of(const ModuleEntry& entry);

class RouteTableBuilder {
 public:
  // `host_services` are there whatever the configuration says.
  RouteTableBuilder(const services::HostServices& host_services, router::Router& router,
                    loader::CatalogHolder& catalog, observe::CallMetrics& call_metrics)
      : host_services_(host_services),
        router_(router),
        catalog_(catalog),
        call_metrics_(call_metrics) {}

  // Replaces all routes at once.
  void publish(const ModuleEntries& entries, const StandIns& stand_ins = {});

 private:
  const services::HostServices& host_services_;
  router::Router& router_;
  loader::CatalogHolder& catalog_;
  observe::CallMetrics& call_metrics_;
};

}  // namespace longshore::core
