// The log line of a finished call.
#pragma once

#include <string_view>

#include "observe/log.h"
#include "router/call.h"

namespace longshore::router {

// Says what became of a call: at debug level when it went well, at info when the caller has to do
// something about it, as a warning when the fault is on our side.
void log_outcome(observe::Log& log, std::string_view module, const Call& call, StatusCode outcome);

}  // namespace longshore::router
