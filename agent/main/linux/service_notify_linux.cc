#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "main/service_notify.h"

namespace longshore {
namespace {

void send(std::string_view state, int flags) {
  const char* path = getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!path || (path[0] != '/' && path[0] != '@')) return;
  const size_t length = std::strlen(path);
  if (length >= sizeof(address.sun_path)) return;
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';  // a name in the abstract namespace
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  // Nobody can be told that this failed; the manager's own time limit notices.
  static_cast<void>(sendto(descriptor, state.data(), state.size(), MSG_NOSIGNAL | flags,
                           reinterpret_cast<const sockaddr*>(&address),
                           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length)));
  close(descriptor);
}

}  // namespace

void notify_service_manager(std::string_view state) { send(state, 0); }

void send_heartbeat() { send("WATCHDOG=1", MSG_DONTWAIT); }

std::string reloading_state() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

}  // namespace longshore
