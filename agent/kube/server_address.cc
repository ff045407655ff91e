#include "kube/server_address.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <optional>

namespace longshore::kube {
namespace {

constexpr std::string_view kHttps = "https://";
constexpr std::string_view kHttp = "http://";

std::optional<uint16_t> port_of(std::string_view text) {
  uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (text.empty() || error != std::errc() || stop != end || port == 0) return std::nullopt;
  return port;
}

// It goes into a header and to the system's resolver.
bool is_host_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
}

bool is_ip_v6(std::string_view host) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  return !error && address.is_v6();
}

bool is_path(std::string_view path) {
  return std::ranges::all_of(path, [](char c) { return c > ' ' && c < '\x7f'; }) &&
         path.find_first_of("?#\\\"<>") == path.npos;
}

}  // namespace

bool ServerAddress::is_ip_address() const {
  boost::system::error_code error;
  boost::asio::ip::make_address(host, error);
  return !error;
}

std::string ServerAddress::host_and_port() const {
  const bool has_colons = host.find(':') != host.npos;
  return (has_colons ? '[' + host + ']' : host) + ':' + std::to_string(port);
}

std::string ServerAddress::text() const {
  return std::string(has_tls ? kHttps : kHttp) + host_and_port() + path;
}

Result<ServerAddress> parse_server_address(std::string_view text) {
  // The address as a whole is not repeated: what stands before an @ may be a password.
  const auto refused = [](std::string cause) {
    return Error(StatusCode::kInvalidArgument, "read the address of the API server")
        .because(std::move(cause))
        .advise("write it as https://api.example:6443");
  };
  ServerAddress address;
  address.has_tls = text.starts_with(kHttps);
  if (!address.has_tls && !text.starts_with(kHttp)) {
    return refused("it begins neither with https:// nor with http://");
  }
  std::string_view rest = text.substr((address.has_tls ? kHttps : kHttp).size());
  const size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view path = rest.substr(slash);
  std::string_view host = rest.substr(0, slash);
  if (host.find('@') != host.npos) return refused("it has a user name");
  address.port = address.has_tls ? 443 : 80;
  const size_t bracket = host.find(']');
  const size_t colon = host.find(':', bracket == host.npos ? 0 : bracket);
  if (colon != host.npos) {
    const auto port = port_of(host.substr(colon + 1));
    if (!port) return refused("its port is no number from 1 to 65535");
    address.port = *port;
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (!is_ip_v6(host)) return refused("there is no IPv6 address in the brackets");
  } else if (!is_host_name(host)) {
    return refused(host.empty() ? "it has no host" : "its host is neither a name nor an address");
  }
  address.host = host;
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!is_path(path)) return refused("its path has characters that no path has");
  address.path = path;
  return address;
}

Result<ServerAddress> server_address_of(std::string_view host, std::string_view port) {
  const bool is_v6 = is_ip_v6(host);
  return parse_server_address(std::string(kHttps) + (is_v6 ? "[" : "") + std::string(host) +
                              (is_v6 ? "]:" : ":") + std::string(port));
}

}  // namespace longshore::kube
