// Makes the code of a module that runs in a process of its own, by what the configuration says.
#pragma once

#include <memory>

#include "config/settings.h"
#include "loader/image.h"
#include "observe/log.h"
#include "supervise/child_options.h"

namespace longshore::supervise {

// No process is started yet. An error means that the configuration cannot be followed: there is no
// such user, or the program that is to run the module is not there or not to be trusted. The state
// directory of a module that runs as another user is given to that user. Where `groups` cannot set
// a limit it goes without, or by an rlimit, and the log says so. On Windows it is null.
Result<std::shared_ptr<loader::ModuleCode>> make_child_module(loader::Inspection inspection,
                                                              const config::ModuleSettings& module,
                                                              const config::AgentSettings& agent,
                                                              std::shared_ptr<Cgroups> groups,
                                                              observe::Log& log);

}  // namespace longshore::supervise
