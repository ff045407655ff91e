// The modules whose files lie in folders, whatever a configuration says of them.
//
// Threads: any; a plain function.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace longshore {

// The libraries, by the name that a configuration would give the module: "longshore-x" by "x".
// Which file wins where two folders have one is decided as at a start: by the catalog.
std::map<std::string, std::string> installed_modules(const std::vector<std::string>& folders);

}  // namespace longshore
