// Where a socket is to be made: what is in the way there.
//
// Threads: any; plain functions.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::endpoint {

// What would keep an agent from making this socket now: a link, a file, a folder that others can
// change, or a process that listens on it. Neither the service manager nor the agent that has
// `state_dir` is in the way.
//
// It changes nothing, and connects to nobody: that would start the agent whose sockets systemd
// holds. So who listens is known only as far as the system lets this process see it; and a folder
// into which it may not look, as an ordinary user may not into that of the control socket, is not
// in the way.
Result<void> check_socket_place(const std::string& path, const std::string& state_dir);

}  // namespace longshore::endpoint
