#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "endpoint/activated_sockets.h"

namespace longshore::endpoint {
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

}  // namespace longshore::endpoint
