// Where an API server is: "https://api.example:6443/prefix" in its parts. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore::kube {

struct ServerAddress {
  bool has_tls = true;
  std::string host;  // a name, or an IP address without brackets
  uint16_t port = 0;
  std::string path;  // goes before every path that is asked for; empty, or "/..." without an end

  bool is_ip_address() const;
  // "api.example:6443", "[::1]:6443": for the Host header and for people.
  std::string host_and_port() const;
  std::string text() const;
};

// Without a port it is 443, or 80 for http.
Result<ServerAddress> parse_server_address(std::string_view text);

// Of a host that may be an IPv6 address without brackets, as the environment of a Pod has it.
Result<ServerAddress> server_address_of(std::string_view host, std::string_view port);

}  // namespace longshore::kube
