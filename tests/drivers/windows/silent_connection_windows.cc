#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tests/drivers/silent_connection.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

// As long as a client of csi-proxy's waits for a pipe that is busy (go-winio's DialPipe).
constexpr DWORD kMillisecondsOfABusyPipe = 10'000;

}  // namespace

struct SilentConnection::System {
  Handle pipe;
};

SilentConnection::SilentConnection(const std::string& socket)
    : system_(std::make_unique<System>()) {
  const std::wstring name = wide(socket);
  do {
    system_->pipe = Handle(CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr,
                                       OPEN_EXISTING, 0, nullptr));
  } while (!system_->pipe && GetLastError() == ERROR_PIPE_BUSY &&
           WaitNamedPipeW(name.c_str(), kMillisecondsOfABusyPipe));
  require(static_cast<bool>(system_->pipe), "nobody listens on " + socket);
}

SilentConnection::SilentConnection(SilentConnection&&) noexcept = default;
SilentConnection::~SilentConnection() = default;

}  // namespace longshore::test
