#include "iscsi/linux/portal_addresses.h"

#include <netdb.h>

#include <array>
#include <memory>

#include "iscsi/ip_address.h"

namespace longshore::iscsi {

Result<std::vector<std::string>> addresses_of(const Portal& portal,
                                              const support::CallLimits& limits,
                                              std::string_view operation,
                                              const std::string& object) {
  std::vector<std::string> addresses = {portal.address};
  if (canonical_ip_address(portal.address)) return addresses;
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(portal.address.c_str(), nullptr, &wanted, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(failure == 0 ? found : nullptr,
                                                             &::freeaddrinfo);
  if (auto exceeded = limits.exceeded(std::string(operation), object)) return *std::move(exceeded);
  if (failure != 0) {
    return Error(StatusCode::kUnavailable, std::string(operation), portal.text())
        .because(std::string("its name has no address: ") + ::gai_strerror(failure))
        .advise("the name has to be known to the node itself, not only inside the cluster");
  }
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  return addresses;
}

}  // namespace longshore::iscsi
