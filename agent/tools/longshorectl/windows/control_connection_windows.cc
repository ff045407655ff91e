#include <boost/asio/windows/stream_handle.hpp>
#include <chrono>
#include <utility>

#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "rpc/asio_transport.h"
#include "tools/longshorectl/control_connection.h"
#include "tools/longshorectl/socket_diagnosis.h"

namespace longshore::ctl {
namespace {

// All instances of the pipe have clients: the agent makes another one at once.
constexpr std::chrono::seconds kBusyTime{5};
constexpr DWORD kBusyWait = 1000;

HANDLE open_pipe(const std::wstring& name) {
  // The agent learns who this is, and may do nothing in its name.
  return CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING,
                     FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION,
                     nullptr);
}

}  // namespace

Result<std::unique_ptr<rpc::Transport>> open_transport(boost::asio::io_context& context,
                                                       const std::string& socket) {
  const std::wstring name = wide(socket);
  const auto end = std::chrono::steady_clock::now() + kBusyTime;
  HANDLE pipe = open_pipe(name);
  std::error_code refusal = error_unless(pipe != INVALID_HANDLE_VALUE);
  while (refusal.value() == ERROR_PIPE_BUSY && std::chrono::steady_clock::now() < end) {
    WaitNamedPipeW(name.c_str(), kBusyWait);
    pipe = open_pipe(name);
    refusal = error_unless(pipe != INVALID_HANDLE_VALUE);
  }
  if (refusal) return not_reachable(socket, refusal);
  boost::asio::windows::stream_handle stream(context);
  boost::system::error_code error;
  stream.assign(pipe, error);
  if (error) {
    CloseHandle(pipe);
    return not_reachable(socket, error);
  }
  return rpc::make_transport(std::move(stream));
}

}  // namespace longshore::ctl
