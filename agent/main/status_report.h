// The parts of the agent's status: gathered once, for longshorectl and for HTTP.
#pragma once

#include <vector>

#include "core/module_set.h"
#include "observe/status_report.h"

namespace longshore {

// Threads: any.
std::vector<observe::ModuleReport> module_reports(const core::ModuleSet& modules);

// All that the state of a module can be.
std::vector<std::string> module_states();

}  // namespace longshore
