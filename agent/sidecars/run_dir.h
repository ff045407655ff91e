// The folder of the program's sockets and state, made ready before an agent wants it.
//
// A Pod's emptyDir is open to all users, and no agent keeps anything where others could put links:
// one that is empty and belongs to this process's user is closed to them first.
//
// Threads: the main thread, before all others.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::sidecars {

// Makes what is missing. An error: nothing can be written there, or others can.
Result<void> prepare_run_dir(const std::string& run_dir);

}  // namespace longshore::sidecars
