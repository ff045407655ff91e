// The address of a CSI driver as controllers take it: a Unix socket.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "longshore/socket_path.hpp"

namespace longshore {

// "tcp://10.0.0.1:50051", "localhost:50051": what is no path, and ends in a port.
inline bool is_tcp_address(std::string_view address) {
  if (address.starts_with("tcp:")) return true;
  const size_t colon = address.rfind(':');
  if (colon == address.npos || address.find('/') != address.npos) return false;
  const std::string_view port = address.substr(colon + 1);
  return !port.empty() && port.find_first_not_of("0123456789") == port.npos;
}

// What an error says of an address: as whose it was to be used, and what to do.
struct CsiAddressWords {
  const char* operation = "use the CSI driver's address";
  const char* form = "write it as /csi/csi.sock or unix:///csi/csi.sock";
  const char* shorter = "mount the socket's folder at a shorter path";
};

// The path of "/p", "unix:/p" or "unix:///p".
inline Result<std::string> csi_socket_path(std::string_view address,
                                           const CsiAddressWords& words = {}) {
  const auto refused = [&](std::string why) {
    return Error(StatusCode::kInvalidArgument, words.operation, std::string(address))
        .because(std::move(why));
  };
  if (is_tcp_address(address)) {
    return refused("it is a TCP address, and drivers are called by Unix sockets alone")
        .advise(words.form);
  }
  std::string_view path = address;
  if (path.starts_with("unix://")) {
    path.remove_prefix(7);
  } else if (path.starts_with("unix:")) {
    path.remove_prefix(5);
  }
  if (!path.starts_with('/') || path.find('\0') != path.npos) {
    return refused("it is not the absolute path of a Unix socket").advise(words.form);
  }
  if (const std::string excess = socket_path_excess(path); !excess.empty()) {
    return refused("its " + excess).advise(words.shorter);
  }
  return std::string(path);
}

}  // namespace longshore
