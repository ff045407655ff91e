// Runs an agent in this process with a configuration that is loaded, from the lock on its state to
// its orderly end: what longshored and csi-sidecars have in common.
//
// Threads: the main thread. Owner: main().
#pragma once

#include <memory>
#include <string>

#include "config/loaded.h"
#include "core/inspected_modules.h"
#include "longshore/result.hpp"
#include "main/agent.h"
#include "main/described_services.h"
#include "main/process_control.h"

namespace longshore {

// Tells standard error and `control` why `program` ends, and answers `exit_code`.
int report_failure(const std::string& program, ProcessControl& control, int exit_code,
                   const Error& error);

// Answers the exit code once the agent has ended; kConfigurationError too where it ended with
// refused settings. `modules` holds `services` and has read what
// `loaded` names, and `options.notify` is set here.
int run_agent(const std::string& program, Agent::Options options, config::Loaded loaded,
              std::unique_ptr<core::InspectedModules> modules, const DescribedServices& services,
              ProcessControl& control);

}  // namespace longshore
