#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "tests/hostile_clients/raw_stream.h"

namespace longshore::hostile_clients {
namespace {

// The calling thread's alone: the C library would change all threads.
void become(uid_t user) { syscall(SYS_setresuid, -1, user, -1); }

}  // namespace

struct RawStream::System {
  int socket = -1;
  bool closed = false;

  // What a function of the system answered; how many bytes that is.
  size_t judge(ssize_t size) {
    if (size >= 0) return static_cast<size_t>(size);
    if (errno != EAGAIN) closed = true;
    return 0;
  }
  bool wait(short what, int milliseconds) const {
    pollfd wanted{socket, what, 0};
    return poll(&wanted, 1, milliseconds) == 1;
  }
};

RawStream::RawStream(const std::string& name, std::optional<unsigned> user)
    : system_(std::make_unique<System>()) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, name.c_str(), sizeof(address.sun_path) - 1);
  system_->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{10, 0};  // a full queue of connections
  setsockopt(system_->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  if (user) become(*user);
  system_->closed =
      connect(system_->socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0;
  if (user) become(0);
}

RawStream::~RawStream() { close(system_->socket); }

size_t RawStream::send(std::string_view bytes) {
  return system_->judge(
      ::send(system_->socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

std::string RawStream::receive() {
  char bytes[65536];
  const ssize_t size = recv(system_->socket, bytes, sizeof(bytes), MSG_DONTWAIT);
  if (size == 0) system_->closed = true;
  return {bytes, system_->judge(size)};
}

bool RawStream::wait_to_send(int milliseconds) { return system_->wait(POLLOUT, milliseconds); }

void RawStream::wait_to_receive(int milliseconds) { system_->wait(POLLIN, milliseconds); }

size_t RawStream::send_with_descriptors(std::string_view bytes, int count) {
  std::vector<char> space(CMSG_SPACE(sizeof(int) * static_cast<size_t>(count)));
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int) * static_cast<size_t>(count));
  const std::vector<int> descriptors(static_cast<size_t>(count), system_->socket);
  std::memcpy(CMSG_DATA(head), descriptors.data(), sizeof(int) * descriptors.size());
  return system_->judge(sendmsg(system_->socket, &message, MSG_NOSIGNAL));
}

bool RawStream::closed() const { return system_->closed; }

}  // namespace longshore::hostile_clients
