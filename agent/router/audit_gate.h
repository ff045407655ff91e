// Where a call that the audit log tells waits until its first line is written; then it goes on to
// the target that its method has by then. Its deadline runs meanwhile, and it can be cancelled.
//
// Threads: as Target. Owner: the router.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "router/audit_log.h"
#include "router/call.h"
#include "router/target.h"

namespace longshore::router {

class AuditGate final : public Target {
 public:
  // `route` hands a call to the target that serves it; `refused` tells that target of one that it
  // will not get.
  using Hand = std::function<void(Call&)>;
  AuditGate(AuditLog& audit, Hand route, Hand refused)
      : audit_(audit), route_(std::move(route)), refused_(std::move(refused)) {}

  Result<void> submit(std::shared_ptr<Call> call) override {
    audit_.begin(*call, [this, call](const Result<void>& written) {
      if (written) return route_(*call);
      refused_(*call);
      call->refuse(written.error());
    });
    return {};
  }
  void execute(Call&) override {}

 private:
  AuditLog& audit_;
  const Hand route_;
  const Hand refused_;
};

}  // namespace longshore::router
