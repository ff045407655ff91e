// The part of longshore.admin.v1.Admin that looks into the agent while it works: the log's
// level, what became of a request, figures of calls.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/core.h"
#include "main/admin_target.h"
#include "observe/log.h"

namespace longshore {

// What it looks at, which must live as long as the handlers.
struct DiagnosticsParts {
  core::Core& core;
  observe::Log& log;
  // The level that the configuration asks for.
  std::function<std::string()> configured_level;
};

// The handlers, by the method's name.
std::map<std::string, AdminTarget::Handler> diagnostics_handlers(DiagnosticsParts parts);

}  // namespace longshore
