// longshore.admin.v1.Admin: what longshorectl asks the agent. Configurations may name it before
// there is an agent to ask.
//
//   described ──serve──► it has its target, and may be started
//
// Threads: `serve` the one that makes the agent; the target any. Owner: the host services.
#pragma once

#include <memory>

#include "longshore/result.hpp"
#include "main/admin_target.h"
#include "services/host_service.h"

namespace longshore {

class Agent;

class AdminService final : public services::HostService {
 public:
  static Result<std::shared_ptr<AdminService>> make();
  using HostService::HostService;

  // Answers of `agent`, as long as the target lives.
  std::shared_ptr<AdminTarget> serve(Agent& agent, router::Timers& timers);

  router::Target& target() override { return *target_; }
  bool for_endpoints() const override { return true; }

 private:
  std::shared_ptr<AdminTarget> target_;
};

}  // namespace longshore
