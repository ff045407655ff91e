// `csi-sidecars --check`: what of a start with the same flags would go well, and what would not. No
// controller is started, and nothing is changed in the cluster; the run dir is made ready, as a
// start does.
//
// Threads: one, which waits for drivers and the API server.
#pragma once

#include <ostream>

#include "longshore/result.hpp"
#include "sidecars/command_line.h"

namespace longshore::sidecars {

// The exit code: 0, or 1 where something is wrong.
int check_start(const Result<CommandLine>& line, std::ostream& output);

}  // namespace longshore::sidecars
