#include "iscsi/ip_address.h"

#if defined(_WIN32)
#include <ws2tcpip.h>
#endif
#if defined(__linux__)
#include <arpa/inet.h>
#endif

#include <array>

namespace longshore::iscsi {
namespace {

std::optional<std::string> canonical_of(int family, const std::string& text) {
  std::array<unsigned char, 16> address{};
  std::array<char, INET6_ADDRSTRLEN> canonical{};
  if (::inet_pton(family, text.c_str(), address.data()) != 1) return std::nullopt;
  if (::inet_ntop(family, address.data(), canonical.data(), canonical.size()) == nullptr) {
    return std::nullopt;
  }
  return canonical.data();
}

}  // namespace

std::optional<std::string> canonical_ip_address(std::string_view text) {
  // inet_pton would read up to a zero byte only.
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != text.npos) return std::nullopt;
  const std::string terminated(text);
  if (auto address = canonical_of(AF_INET, terminated)) return address;
  return canonical_of(AF_INET6, terminated);
}

}  // namespace longshore::iscsi
