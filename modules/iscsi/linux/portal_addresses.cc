#include "iscsi/linux/portal_addresses.h"

#include "iscsi/ip_address.h"
#include "support/linux/host_addresses.h"

namespace longshore::iscsi {

Addresses look_up(const std::string& host) {
  return support::addresses_of(host, "look up the name of the portal");
}

Addresses PortalAddresses::of(const Portal& portal, const Deadline& deadline,
                              std::string_view operation, const std::string& object) {
  std::vector<std::string> addresses = {portal.address};
  if (canonical_ip_address(portal.address)) return addresses;
  const auto exceeded = [&] { return deadline.exceeded(std::string(operation), object); };
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
  Addresses found = calls_.run(portal.address, deadline, call, unanswered);
  if (!found) return found;
  if (auto why = exceeded()) return *std::move(why);
  addresses.insert(addresses.end(), found->begin(), found->end());
  return addresses;
}

}  // namespace longshore::iscsi
