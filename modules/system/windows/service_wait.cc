#include "system/windows/service_wait.h"

#include <algorithm>
#include <chrono>

namespace longshore::system {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestPause{10};
constexpr milliseconds kLongestPause{200};  // also how soon a cancelled call is let go
constexpr milliseconds kLeastPatience{30'000};

// A tenth of the hint, as Windows' documentation advises, within limits of ours.
milliseconds pause_for(DWORD wait_hint, const Deadline& deadline) {
  const auto wanted = std::clamp(milliseconds(wait_hint / 10), kShortestPause, kLongestPause);
  if (deadline.time == Deadline::Clock::time_point::max()) return wanted;
  const auto left = std::chrono::ceil<milliseconds>(deadline.time - Deadline::Clock::now());
  return std::clamp(left, milliseconds(1), wanted);
}

Error timed_out(const ServicePurpose& purpose, const char* goal, const std::string& why) {
  return purpose.error(StatusCode::kDeadlineExceeded)
      .because("timed out waiting for service " + purpose.service + " " + goal + why)
      .advise("Windows goes on with it; GetService tells how it ended");
}

}  // namespace

Result<SERVICE_STATUS_PROCESS> read_status(ServiceControlManager& manager, SC_HANDLE service,
                                           const ServicePurpose& purpose) {
  SERVICE_STATUS_PROCESS status{};
  const DWORD code = manager.query_status(service, status);
  if (code != ERROR_SUCCESS) return service_error(purpose, code);
  return status;
}

Result<SERVICE_STATUS_PROCESS> await_status(
    ServiceControlManager& manager, SC_HANDLE service, const ServicePurpose& purpose,
    const char* goal, const Deadline& deadline,
    const std::function<bool(const SERVICE_STATUS_PROCESS&)>& is_end) {
  milliseconds without_progress{0};
  DWORD last_state = 0;
  DWORD last_check_point = 0;
  for (;;) {
    Result<SERVICE_STATUS_PROCESS> status = read_status(manager, service, purpose);
    if (!status || is_end(*status)) return status;
    if (auto over = deadline.exceeded(purpose.operation, purpose.service)) {
      if (over->code() == StatusCode::kCancelled) return *std::move(over);
      return timed_out(purpose, goal, "");
    }
    if (status->dwCurrentState != last_state || status->dwCheckPoint != last_check_point) {
      without_progress = milliseconds(0);
    }
    last_state = status->dwCurrentState;
    last_check_point = status->dwCheckPoint;
    if (without_progress >= std::max(milliseconds(status->dwWaitHint), kLeastPatience)) {
      return timed_out(purpose, goal,
                       ": it has made no progress for " +
                           std::to_string(without_progress.count() / 1000) +
                           " seconds, longer than it said that a step takes");
    }
    const milliseconds pause = pause_for(status->dwWaitHint, deadline);
    manager.pause(pause);
    without_progress += pause;
  }
}

}  // namespace longshore::system
