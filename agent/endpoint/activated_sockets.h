// The sockets that the service manager has opened and handed to this process, by systemd's
// protocol. They stay open over a restart of the agent, so that no client is refused meanwhile.
//
// Threads: take_activated_sockets() once, before there are others.
#pragma once

#include <map>
#include <string>

#include "endpoint/listener.h"

namespace longshore::endpoint {

// By their paths: each makes a listener of the socket, as often as it is asked.
using ActivatedSockets = std::map<std::string, MakeListener>;

// Takes the sockets of LISTEN_FDS and removes these variables from the environment, so that they
// count once. What is not a listening Unix socket in the file system is closed. Windows' service
// manager holds none.
ActivatedSockets take_activated_sockets();

}  // namespace longshore::endpoint
