#include "iscsi/linux/portal_addresses.h"

#include <netdb.h>

#include <array>
#include <memory>

#include "iscsi/ip_address.h"

namespace longshore::iscsi {

Addresses look_up(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(failure == 0 ? found : nullptr,
                                                             &::freeaddrinfo);
  if (failure != 0) {
    return Error(StatusCode::kUnavailable, "look up the name of the portal", host)
        .because(std::string("its name has no address: ") + ::gai_strerror(failure))
        .advise("the name has to be known to the node itself, not only inside the cluster");
  }
  std::vector<std::string> addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  return addresses;
}

Addresses PortalAddresses::of(const Portal& portal, const support::CallLimits& limits,
                              std::string_view operation, const std::string& object) {
  std::vector<std::string> addresses = {portal.address};
  if (canonical_ip_address(portal.address)) return addresses;
  const auto exceeded = [&] { return limits.exceeded(std::string(operation), object); };
  const auto unanswered = [&](const std::error_code& error) -> Addresses {
    if (auto why = exceeded()) return *std::move(why);
    Error failure(StatusCode::kUnavailable, std::string(operation), portal.text());
    if (error != std::errc::connection_already_in_progress)
      return std::move(failure).because(error);
    return std::move(failure)
        .because("the node's name server has not answered an earlier call")
        .advise("try again, or use the address in place of the name");
  };
  const auto call = [this, host = portal.address] { return look_up_(host); };
  Addresses found = calls_.run(portal.address, limits, call, unanswered);
  if (!found) return found;
  if (auto why = exceeded()) return *std::move(why);
  addresses.insert(addresses.end(), found->begin(), found->end());
  return addresses;
}

}  // namespace longshore::iscsi
