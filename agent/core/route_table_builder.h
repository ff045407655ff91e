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

namespace longshore::core {

// By module: what takes its calls instead of its instance, while that is replaced.
using StandIns = std::map<std::string, std::shared_ptr<router::Target>>;

// What takes the calls of a module: its instance, or one that says why there is none.
std::shared_ptr<router::Target> target_of(const ModuleEntry& entry);

class RouteTableBuilder {
 public:
  RouteTableBuilder(router::Router& router, loader::CatalogHolder& catalog,
                    observe::CallMetrics& call_metrics)
      : router_(router), catalog_(catalog), call_metrics_(call_metrics) {}

  // The agent's own services, which are there whatever the configuration says.
  void set_builtin(loader::ModuleDescription description, std::shared_ptr<router::Target> target) {
    builtin_ = std::move(description);
    admin_target_ = std::move(target);
  }

  // Replaces all routes at once.
  void publish(const ModuleEntries& entries, const StandIns& stand_ins = {});

 private:
  router::Router& router_;
  loader::CatalogHolder& catalog_;
  observe::CallMetrics& call_metrics_;
  loader::ModuleDescription builtin_;
  std::shared_ptr<router::Target> admin_target_;
};

}  // namespace longshore::core
