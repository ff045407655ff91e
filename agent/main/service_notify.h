// What the agent tells the service manager that started it. systemd's protocol, spoken by hand: the
// library would cost half a megabyte of memory for this.
#pragma once

#include <string>
#include <string_view>

namespace longshore {

// Sends `state` ("READY=1", "STOPPING=1", "RELOADING=1\nMONOTONIC_USEC=...") to the manager.
// Does nothing when there is none.
void notify_service_manager(std::string_view state);

// "WATCHDOG=1". Left out where the manager does not take it at once, since nobody may wait for
// that.
void send_heartbeat();

// "RELOADING=1" with the time stamp that Type=notify-reload wants.
std::string reloading_state();

}  // namespace longshore
