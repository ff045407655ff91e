#include <windows.h>

#include "endpoint/socket_place.h"
#include "files/state_lock.h"
#include "longshore/windows/wide_text.hpp"

namespace longshore::endpoint {

// Windows does not say who has a pipe without connecting to it. Where the agent runs that has
// state_dir, it is taken for that one's.
Result<void> check_socket_place(const std::string& path, const std::string& state_dir) {
  constexpr DWORD kAtOnce = 1;
  // run_dir and control_dir can be any absolute path.
  if (!path.starts_with(R"(\\.\pipe\)")) {
    return Error(StatusCode::kInvalidArgument, "listen on the pipe", path)
        .because("the name of a pipe begins with \\\\.\\pipe\\")
        .advise("write so what run_dir or control_dir has");
  }
  const bool is_there =
      WaitNamedPipeW(wide(path).c_str(), kAtOnce) || GetLastError() != ERROR_FILE_NOT_FOUND;
  if (!is_there || files::StateLock::owner_of(state_dir).value_or(0) != 0) return {};
  return Error(StatusCode::kFailedPrecondition, "listen on the pipe", path)
      .because("another process has a pipe of this name")
      .advise("stop it; csi-proxy and another agent have the same pipes");
}

}  // namespace longshore::endpoint
