// Where a controller serves /healthz, by the two settings that the sidecars have for it.
//
// Threads: any; a plain function.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "longshore/result.hpp"

namespace longshore::plugins {

// `default_port`: of health_port; 0: then there is no page, and the address is empty.
inline Result<std::string> health_address(const std::string& http_endpoint, int64_t health_port,
                                          int64_t default_port) {
  if (http_endpoint.empty()) {
    return health_port == 0 ? std::string() : ':' + std::to_string(health_port);
  }
  const auto refused = [&](const char* why) {
    return Error(StatusCode::kInvalidArgument, "serve /healthz at http_endpoint", http_endpoint)
        .because(why);
  };
  if (health_port != default_port) {
    return refused("health_port is set too").advise("leave out health_port");
  }
  const size_t colon = http_endpoint.rfind(':');
  const std::string_view port =
      colon == std::string::npos ? "" : std::string_view(http_endpoint).substr(colon + 1);
  uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
    return refused("it is no IP address and port").advise("write it as 127.0.0.1:9808 or :9808");
  }
  return http_endpoint;
}

}  // namespace longshore::plugins
