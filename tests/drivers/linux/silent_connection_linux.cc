#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/drivers/silent_connection.h"
#include "tests/support/require.h"

namespace longshore::test {

struct SilentConnection::System {
  FileDescriptor connection;
};

SilentConnection::SilentConnection(const std::string& socket)
    : system_(std::make_unique<System>(
          System{FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))})) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket.c_str(), sizeof(address.sun_path) - 1);
  require(::connect(system_->connection.get(), reinterpret_cast<const sockaddr*>(&address),
                    sizeof(address)) == 0,
          "nobody listens on " + socket);
}

SilentConnection::SilentConnection(SilentConnection&&) noexcept = default;
SilentConnection::~SilentConnection() = default;

}  // namespace longshore::test
