// What the configuration says of a module's process, as far as the system has its part in it.
//
// Threads: one at a time, while the configuration is applied.
#pragma once

#include <filesystem>

#include "config/settings.h"
#include "longshore/result.hpp"
#include "observe/log.h"
#include "supervise/child_options.h"

namespace longshore::supervise {

// The module host that lies beside this program, as in a build tree; it need not be there. Empty:
// nobody knows where this program is.
std::filesystem::path module_host_beside_us();

// Sets what a process gives up and is limited to; `options.groups` is set already. Refuses what the
// system does not have; where only a limit cannot be set here, it goes without and the log says so.
// The state directory of a module that runs as another user is given to that user.
Result<void> apply_process_settings(const config::ModuleSettings& module,
                                    const config::AgentSettings& agent, observe::Log& log,
                                    ChildOptions& options);

}  // namespace longshore::supervise
