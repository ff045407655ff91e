#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "endpoint/activated_sockets.h"
#include "endpoint/linux/socket_file.h"
#include "endpoint/linux/unix_listener.h"

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

// Keeps the socket as long as somebody may ask for it: an endpoint that a reload takes away may
// come back with another.
MakeListener maker_of(std::shared_ptr<SocketFile> file) {
  return [file = std::move(file)](boost::asio::io_context& io,
                                  const ListenerOptions&) -> Result<std::unique_ptr<Listener>> {
    Result<SocketFile> copy = file->copy();
    if (!copy) return std::move(copy).error();
    return listen_on(io, std::move(*copy));
  };
}

}  // namespace

ActivatedSockets take_activated_sockets() {
  ActivatedSockets sockets;
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
      // Clients are told of who has called this last: not of the service manager any more. It
      // changes nothing else, and may fail.
      static_cast<void>(listen(descriptor, SOMAXCONN));
      auto file = std::make_shared<SocketFile>(SocketFile::adopt(descriptor, path));
      sockets.emplace(std::move(path), maker_of(std::move(file)));
    }
  }
  return sockets;
}

}  // namespace longshore::endpoint
