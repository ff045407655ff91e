// A TCP port of 127.0.0.1 that no other program gets, and that servers can listen on all the same,
// as they do with SO_REUSEADDR: it is bound, and not listened on.
//
// Owner: the test. It is given back with the object.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <stdexcept>
#include <string>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::test {

class HeldPort {
 public:
  HeldPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    const bool is_held =
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (!is_held) throw std::runtime_error("no port of 127.0.0.1");
    number_ = std::to_string(ntohs(address.sin_port));
  }

  const std::string& number() const { return number_; }

  // Nobody else can from then on.
  void listen() {
    if (::listen(socket_.get(), 1) != 0) throw std::runtime_error("cannot listen");
  }

 private:
  FileDescriptor socket_;
  std::string number_;
};

}  // namespace longshore::test
