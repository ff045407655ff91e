// Waiting for a service to get where it was told to go.
//
// A service that goes on tells how far it is: a check point that grows, and a hint how long the
// next step may take. So it is looked at more often the shorter its hint, and given up when it
// makes no step for the time of its hint, or for half a minute where the hint is shorter; hints
// are often left at their default.
//
// Threads: plain functions, which wait.
#pragma once

#include <windows.h>

#include <functional>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "system/windows/service_control_manager.h"
#include "system/windows/service_error.h"

namespace longshore::system {

// The first status of the service that `is_end` is true of. DEADLINE_EXCEEDED, with `goal`, which
// completes "timed out waiting for service x ...": it is not there in time, or makes no progress.
Result<SERVICE_STATUS_PROCESS> await_status(
    ServiceControlManager& manager, SC_HANDLE service, const ServicePurpose& purpose,
    const char* goal, const Deadline& deadline,
    const std::function<bool(const SERVICE_STATUS_PROCESS&)>& is_end);

Result<SERVICE_STATUS_PROCESS> read_status(ServiceControlManager& manager, SC_HANDLE service,
                                           const ServicePurpose& purpose);

}  // namespace longshore::system
