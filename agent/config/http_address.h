// Where the agent tells about itself over HTTP: an address of the node, or a Unix socket.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longshore::config {

struct HttpAddress {
  std::string unix_path;  // or, where it is empty:
  std::string host;       // as numbers
  uint16_t port = 0;      // 0: the system chooses one
  bool is_loopback = true;
};

// Of "127.0.0.1:9809", "[::1]:9809", "localhost:9809" or "unix:///absolute/path".
std::optional<HttpAddress> parse_http_address(std::string_view text);

// Whether metrics can be at this path: "/metrics", and not where something else is.
bool is_metrics_path(std::string_view path);

}  // namespace longshore::config
