#include "router/call_log.h"

#include <chrono>
#include <string>

namespace longshore::router {
namespace {

observe::Level level_of(StatusCode outcome, const Method& method) {
  // That its reader goes is how a watch ends.
  if (outcome == StatusCode::kCancelled && method.long_running) return observe::Level::kDebug;
  switch (outcome) {
    case StatusCode::kOk:
      return observe::Level::kDebug;
    case StatusCode::kUnknown:
    case StatusCode::kInternal:
    case StatusCode::kDataLoss:
    case StatusCode::kDeadlineExceeded:
      return observe::Level::kWarning;
    default:
      return observe::Level::kInfo;
  }
}

}  // namespace

void log_outcome(observe::Log& log, std::string_view module, const Call& call, StatusCode outcome) {
  const observe::Level level = level_of(outcome, call.method());
  if (!log.enabled(level)) return;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - call.started());
  log.write(level, outcome == StatusCode::kOk ? "call done" : call.outcome_text(),
            {{"module", module},
             {"method", call.method().full_name},
             {"request", call.request_id()},
             {"caller", call.caller().on_behalf_of},
             {"object", call.object()},
             {"status", status_code_name(outcome)},
             {"us", std::to_string(elapsed.count())}});
}

}  // namespace longshore::router
