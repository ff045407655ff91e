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
#include "longshore/settings.hpp"

namespace longshore::plugins {

// `default_port`: of health_port; 0: then there is no page, and the address is empty.
inline Result<std::string> health_address(const Settings& settings, int64_t default_port) {
  const std::string http_endpoint = settings.get_string("http_endpoint");
  const int64_t health_port = settings.get_int("health_port");
  if (http_endpoint.empty()) {
    return health_port <= 0 ? std::string() : ':' + std::to_string(health_port);
  }
  const auto refused = [&](const std::string& why) {
    return Error(StatusCode::kInvalidArgument,
                 "serve /healthz at " + settings.shown_name("http_endpoint"), http_endpoint)
        .because(why);
  };
  if (health_port != default_port && health_port > 0) {
    const std::string name = settings.shown_name("health_port");
    return refused(name + " is set too").advise("leave out " + name);
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
