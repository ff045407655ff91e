#include <windows.h>

#include <boost/asio/windows/overlapped_ptr.hpp>
#include <memory>
#include <system_error>
#include <utility>

#include "longshore/windows/wide_text.hpp"
#include "tests/bench/limit/limit_stream.h"

namespace longshore::bench {
namespace {

namespace asio = boost::asio;
using OnClient = std::function<void(LimitStream)>;

constexpr DWORD kBufferBytes = 64 << 10;

// One instance after the other: each waits for its client, and then the next one does.
void wait_for_client(asio::io_context& io, const std::string& name, OnClient on_client) {
  const HANDLE handle =
      CreateNamedPipeW(wide(name).c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED,
                       PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT, PIPE_UNLIMITED_INSTANCES,
                       kBufferBytes, kBufferBytes, 0, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    throw std::system_error(static_cast<int>(GetLastError()), std::system_category(), name);
  }
  auto instance = std::make_shared<LimitStream>(io, handle);
  asio::windows::overlapped_ptr operation(io, [&io, name, on_client = std::move(on_client),
                                               instance](boost::system::error_code error, size_t) {
    if (!error) on_client(std::move(*instance));
    wait_for_client(io, name, on_client);
  });
  const BOOL connected = ConnectNamedPipe(handle, operation.get());
  const DWORD error = GetLastError();
  if (connected || error == ERROR_IO_PENDING) {
    operation.release();
  } else {
    const int code = error == ERROR_PIPE_CONNECTED ? 0 : static_cast<int>(error);
    operation.complete({code, boost::system::system_category()}, 0);
  }
}

}  // namespace

void listen_at(asio::io_context& io, const std::string& name, OnClient on_client) {
  wait_for_client(io, name, std::move(on_client));
}

bool has_path(const std::string& path) {
  return GetFileAttributesW(wide(path).c_str()) != INVALID_FILE_ATTRIBUTES;
}

}  // namespace longshore::bench
