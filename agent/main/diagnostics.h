// The part of longshore.control.v1.Control that looks into the agent while it works: the log's
// level, what became of a request, figures of calls.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "embed/core.h"
#include "main/builtin_target.h"
#include "observe/log.h"

namespace longshore {

// What it looks at, which must live as long as the handlers.
struct DiagnosticsParts {
  embed::Core& core;
  observe::Log& log;
  // The level that the configuration asks for.
  std::function<std::string()> configured_level;
};

// The handlers, by full method name.
std::map<std::string, BuiltinTarget::Handler> diagnostics_handlers(DiagnosticsParts parts);

}  // namespace longshore
