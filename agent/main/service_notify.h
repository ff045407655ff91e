// What the agent tells the service manager that started it, and the sockets it was given by it.
// systemd's protocols, spoken by hand: the library would cost half a megabyte of memory for this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longshore {

// Sends `state` ("READY=1", "STOPPING=1", "RELOADING=1\nMONOTONIC_USEC=...") to the manager.
// Does nothing when there is none.
void notify_service_manager(std::string_view state);

// "RELOADING=1" with the time stamp that Type=notify-reload wants.
std::string reloading_state();

// A listening Unix socket that was handed in.
struct ActivatedSocket {
  std::string path;
  int descriptor = -1;  // the caller's to close
};

// Takes the sockets of LISTEN_FDS and removes these variables from the environment, so that they
// count once. What is not a listening Unix socket in the file system is closed.
std::vector<ActivatedSocket> take_activated_sockets();

}  // namespace longshore
