// Whether a Unix socket leads back to the agent itself.
//
// The agent is root at its own sockets, above all at the control socket. So no controller that may
// call drivers may reach one of these through it, whatever path leads there.
//
// Threads: any; a plain function.
#pragma once

#include <cstdint>

namespace longshore::csi {

// Whether this very process listens at the other end of a connected socket.
bool leads_to_own_process(intptr_t socket);

}  // namespace longshore::csi
