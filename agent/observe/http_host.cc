#include "observe/http_host.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cctype>
#include <string>

namespace longshore::observe {

bool is_loopback_host(std::string_view host) {
  const bool has_brackets = host.starts_with('[');
  const size_t end = has_brackets ? host.find(']') : host.find(':');
  if (has_brackets && end == std::string_view::npos) return false;
  const std::string_view rest = end == std::string_view::npos
                                    ? std::string_view()
                                    : host.substr(end + (has_brackets ? 1 : 0));
  const bool has_port =
      rest.starts_with(':') && rest.size() <= 6 &&
      std::all_of(rest.begin() + 1, rest.end(), [](unsigned char c) { return std::isdigit(c); });
  if (!rest.empty() && !has_port) return false;
  std::string name(host.substr(has_brackets ? 1 : 0, has_brackets ? end - 1 : end));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name == "localhost") return !has_brackets;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(name, error);
  return !error && address.is_loopback() && address.is_v6() == has_brackets;
}

}  // namespace longshore::observe
