// What the agent itself serves, beside its modules: a table of targets, reached as modules are.
//
// Each target has threads of its own, so that one that is busy holds up no other. A service is for
// modules, which name it in `may_call`; for endpoints, whose `services` name it; or for both.
//
// Threads: `add` before the first configuration is read; the rest any. Owner: the agent.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loader/description.h"
#include "router/target.h"

namespace longshore::services {

struct HostService {
  loader::ModuleDescription description;  // its services and their methods
  std::shared_ptr<router::Target> target;
  bool for_modules = false;
  bool for_endpoints = false;
};

class HostServices {
 public:
  void add(HostService service);
  const std::vector<HostService>& all() const { return all_; }

  // What `may_call` may name: the services for modules, and their methods.
  std::vector<std::string> names_for_modules() const;

 private:
  std::vector<HostService> all_;
};

}  // namespace longshore::services
