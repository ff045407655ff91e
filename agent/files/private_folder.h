// A folder of the agent's own, which nobody else may look into.
//
// Threads: any.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::files {

// Makes the folder where it is missing, and those above it, and takes all rights of others from it.
// On Linux every folder above it must be one that only root and the agent's user can change; it
// itself may be another user's, as that of a module that runs as one.
Result<void> make_private_folder(const std::string& path);

}  // namespace longshore::files
