#include <sys/socket.h>
#include <unistd.h>

#include "csi/own_socket.h"

namespace longshore::csi {

// The kernel tells a client who called listen() last.
bool leads_to_own_process(intptr_t socket) {
  ucred listener{};
  socklen_t size = sizeof(listener);
  const int asked =
      ::getsockopt(static_cast<int>(socket), SOL_SOCKET, SO_PEERCRED, &listener, &size);
  return asked != 0 || listener.pid == ::getpid();  // where it is not told, nobody is called
}

}  // namespace longshore::csi
