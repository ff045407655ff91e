// Where the agent has its own sockets and its state. A controller's socket there could take the
// place of one of these, and whoever connects would talk to the controller.
//
// Threads: any; it asks the file system, and so may block. A plain function.
#pragma once

#include <string>

#include "config/settings.h"
#include "longshore/result.hpp"

namespace longshore {

// An error where a socket at `path` would be in one of the agent's folders, beneath it, or at the
// address of one of its own sockets. Folders are compared as the system knows them, not by their
// names: links lead nowhere else.
Result<void> keep_off_own_places(const std::string& path,
                                 const config::Configuration& configuration);

}  // namespace longshore
