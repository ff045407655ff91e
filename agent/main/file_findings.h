// What `--check` can tell of the files that a configuration has the agent write.
//
// Threads: any; a plain function.
#pragma once

#include <string>
#include <vector>

#include "config/loaded.h"

namespace longshore {

// A sentence for each file that an agent could not open now, behind its place in the configuration.
// It looks, and changes nothing.
std::vector<std::string> file_findings(const config::Loaded& loaded);

}  // namespace longshore
