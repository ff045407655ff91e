#include "config/http_address.h"

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace longshore::config {
namespace {

std::optional<uint16_t> parse_port(std::string_view text) {
  uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return port;
}

}  // namespace

std::optional<HttpAddress> parse_http_address(std::string_view text) {
  constexpr std::string_view kUnix = "unix://";
  HttpAddress parsed;
  if (text.starts_with(kUnix)) {
    parsed.unix_path = text.substr(kUnix.size());
    return parsed;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool has_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (has_brackets) host = host.substr(1, host.size() - 2);
  if (host == "localhost" && !has_brackets) host = "127.0.0.1";
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  if (error || address.is_v6() != has_brackets) return std::nullopt;
  parsed.host = address.to_string();
  parsed.port = *port;
  parsed.is_loopback = address.is_loopback();
  return parsed;
}

bool is_metrics_path(std::string_view path) {
  constexpr std::array<std::string_view, 5> kTaken = {"/", "/healthz", "/healthz/leader-election",
                                                      "/readyz", "/status"};
  return path.starts_with('/') && std::ranges::find(kTaken, path) == kTaken.end() &&
         std::ranges::all_of(path, [](char each) { return each > ' ' && each < 0x7f; }) &&
         path.find_first_of("?#") == path.npos;
}

}  // namespace longshore::config
