// The address of a CSI driver as controllers take it: a Unix socket.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore {

// What fits into an address of the system's, without the zero at its end.
inline constexpr size_t kMaxSocketPathBytes = 107;

// The path of "/p", "unix:/p" or "unix:///p".
inline Result<std::string> csi_socket_path(std::string_view address) {
  const auto refused = [&](std::string why) {
    return Error(StatusCode::kInvalidArgument, "use the CSI driver's address", std::string(address))
        .because(std::move(why));
  };
  std::string_view path = address;
  if (path.starts_with("unix://")) {
    path.remove_prefix(7);
  } else if (path.starts_with("unix:")) {
    path.remove_prefix(5);
  }
  if (!path.starts_with('/') || path.find('\0') != path.npos) {
    return refused("it is not the absolute path of a Unix socket")
        .advise("write it as /csi/csi.sock or unix:///csi/csi.sock");
  }
  if (path.size() > kMaxSocketPathBytes) {
    return refused("its path has " + std::to_string(path.size()) + " bytes, and that of a socket " +
                   std::to_string(kMaxSocketPathBytes) + " at most")
        .advise("mount the socket's folder at a shorter path");
  }
  return std::string(path);
}

}  // namespace longshore
