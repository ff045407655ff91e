// What `--check` can tell of the sockets that a configuration asks for.
//
// Threads: any; a plain function.
#pragma once

#include <string>
#include <vector>

#include "config/loaded.h"

namespace longshore {

// A sentence for each socket that an agent could not make now. It looks, and changes nothing.
std::vector<std::string> socket_findings(const config::Loaded& loaded);

}  // namespace longshore
