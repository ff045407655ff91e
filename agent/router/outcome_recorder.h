// Records what became of a call in the figures of its method, the list of the last calls and the
// audit log. A null member is left out.
//
// Threads: any. Owner: a value; what it points to outlives the call.
#pragma once

#include "observe/call_metrics.h"
#include "router/audit_log.h"
#include "router/recent_calls.h"

namespace longshore::router {

struct OutcomeRecorder {
  observe::MethodMetrics* metrics = nullptr;  // of the method
  RecentCalls* recent = nullptr;
  AuditLog* audit = nullptr;

  bool records() const { return metrics || recent || audit; }

  // Before the observer is told, so that who has an answer finds it there. `unfinished`: the module
  // works at it still.
  void record(const RecentCalls::Answered& answered, bool unfinished) const {
    if (metrics) {
      if (answered.code == StatusCode::kOk && !answered.method->server_streaming) {
        metrics->message_sent();
      }
      metrics->handled(answered.code, answered.took);
      if (!answered.warning.empty()) metrics->warned();
    }
    if (recent) recent->add(answered);
    if (audit) audit->add(answered, unfinished);
  }
};

}  // namespace longshore::router
