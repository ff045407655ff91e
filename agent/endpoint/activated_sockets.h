// The sockets that the service manager has opened and handed to this process, by systemd's
// protocol. They stay open over a restart of the agent, so that no client is refused meanwhile.
//
// Threads: take_activated_sockets() once, before there are others.
#pragma once

#include <string>
#include <vector>

namespace longshore::endpoint {

// A listening Unix socket that was handed in.
struct ActivatedSocket {
  std::string path;
  int descriptor = -1;  // the caller's to close
};

// Takes the sockets of LISTEN_FDS and removes these variables from the environment, so that they
// count once. What is not a listening Unix socket in the file system is closed.
std::vector<ActivatedSocket> take_activated_sockets();

}  // namespace longshore::endpoint
