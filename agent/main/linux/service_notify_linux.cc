#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "main/service_notify.h"

namespace longshore {
namespace {

constexpr int kFirstDescriptor = 3;
constexpr int kMaxDescriptors = 1024;

int number_in_environment(const char* name) {
  const char* text = getenv(name);
  int number = -1;
  if (text) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

// The path that a listening Unix socket is bound to; empty for anything else.
std::string listening_path(int descriptor) {
  int listening = 0;
  socklen_t size = sizeof(listening);
  sockaddr_un address{};
  socklen_t length = sizeof(address);
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || !listening ||
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
      address.sun_family != AF_UNIX || length <= offsetof(sockaddr_un, sun_path)) {
    return {};
  }
  return {address.sun_path, strnlen(address.sun_path, length - offsetof(sockaddr_un, sun_path))};
}

}  // namespace

void notify_service_manager(std::string_view state) {
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
  static_cast<void>(sendto(descriptor, state.data(), state.size(), MSG_NOSIGNAL,
                           reinterpret_cast<const sockaddr*>(&address),
                           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length)));
  close(descriptor);
}

std::string reloading_state() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

std::vector<ActivatedSocket> take_activated_sockets() {
  std::vector<ActivatedSocket> sockets;
  const bool ours = number_in_environment("LISTEN_PID") == getpid();
  const int count = ours ? number_in_environment("LISTEN_FDS") : 0;
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) unsetenv(name);
  for (int i = 0; i < count && i < kMaxDescriptors; ++i) {
    const int descriptor = kFirstDescriptor + i;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    std::string path = listening_path(descriptor);
    if (path.empty() || path[0] != '/') {
      close(descriptor);
    } else {
      sockets.push_back({std::move(path), descriptor});
    }
  }
  return sockets;
}

}  // namespace longshore
