// Loads longshore-kube.so, the client of API servers, at the first need: with OpenSSL and yaml-cpp
// it is larger than all the rest of an agent without such controllers.
//
// It lies beside the agent's own program, as in a build tree, or in the agent's private folder, and
// passes the ownership check of modules. It is never unloaded.
//
// Threads: any; it reads files and looks up users, and so may block.
#pragma once

#include <memory>
#include <string>

#include "config/settings.h"
#include "kube/api_loop.h"
#include "longshore/result.hpp"

namespace longshore::kube {

// The file that the agent's program has.
std::string client_library_file();

Result<std::unique_ptr<ApiLoop>> load_loop(const std::string& file,
                                           const config::AgentSettings& agent);

}  // namespace longshore::kube
