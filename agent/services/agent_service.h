// longshore.host.v1.Agent: what modules may ask of the agent that they run in. See the proto.
//
// Threads: any; nothing here blocks. Owner: the host services; calls share it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "longshore/result.hpp"
#include "services/host_service_target.h"
#include "services/host_services.h"
#include "services/module_state.h"
#include "services/state_streams.h"

namespace longshore::services {

class AgentService final : public HostServiceTarget {
 public:
  explicit AgentService(loader::ModuleDescription description);

  bool for_modules() const override { return true; }
  // Tells of what has changed since the last time.
  void modules_changed(const ModuleStates& modules) override;
  void on_writable(router::Call& call) override { streams_.resume(call); }
  void on_end(router::Call& call) override { streams_.remove(call); }

 private:
  Result<void> begin(router::Call& call) override;

  std::map<std::string, ModuleState> told_;
  StateStreams streams_;
};

// What every agent offers, in longshored and in a library alike.
Result<std::shared_ptr<HostServices>> common_host_services();

}  // namespace longshore::services
