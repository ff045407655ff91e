// A host service that takes its calls itself, on the thread of whoever makes them.
//
// Threads: any; `begin` must not block. Owner: as of host services.
#pragma once

#include <memory>

#include "longshore/result.hpp"
#include "router/call.h"
#include "router/target.h"
#include "services/host_service.h"

namespace longshore::services {

class HostServiceTarget : public HostService, public router::Target {
 public:
  using HostService::HostService;

  router::Target& target() final { return *this; }

  Result<void> submit(std::shared_ptr<router::Call> call) override;
  void execute(router::Call& call) final;
  // Ends the call.
  void on_cancel(router::Call& call) override;

 protected:
  // Does what the call asks for, or begins it. An error ends the call.
  virtual Result<void> begin(router::Call& call) = 0;
};

}  // namespace longshore::services
