// Portals and their targets.
#include "iscsi/windows/initiator.h"

#include <algorithm>

#include "iscsi/ip_address.h"

namespace longshore::iscsi {

namespace {

bool is_among(const std::vector<Portal>& portals, const std::vector<Portal>& others) {
  return std::ranges::any_of(
      portals, [&](const Portal& each) { return std::ranges::find(others, each) != others.end(); });
}

Error unknown_portal(const InitiatorPurpose& purpose) {
  return purpose.error(StatusCode::kNotFound)
      .because("the portal is not known")
      .advise("AddTargetPortal makes it known");
}

}  // namespace

std::vector<Portal> Initiator::spellings_of(const Portal& portal) const {
  std::vector<Portal> portals = {portal};
  if (canonical_ip_address(portal.address)) return portals;
  for (std::string& address : library_.addresses_of(portal.address)) {
    portals.push_back({std::move(address), portal.port});
  }
  return portals;
}

Result<std::vector<Portal>> Initiator::portals() const {
  return read_portals(library_, {"list the portals", {}});
}

Result<bool> Initiator::knows(const Portal& portal, const InitiatorPurpose& purpose) const {
  const auto portals = read_portals(library_, purpose);
  if (!portals) return portals.error();
  return std::ranges::find(*portals, portal) != portals->end();
}

Result<void> Initiator::add_portal(const Portal& portal) const {
  const InitiatorPurpose purpose{"add the portal", portal.text()};
  const Result<bool> known = knows(portal, purpose);
  if (!known) return known.error();
  if (*known) return {};
  const InitiatorCode code = library_.add_portal(target_portal(portal));
  if (code == ERROR_SUCCESS || code == kPortalExists) return {};
  // One that does not answer may have been taken in all the same.
  const Result<bool> added = knows(portal, purpose);
  if (added && *added) library_.remove_portal(target_portal(portal));
  return initiator_error(purpose, code);
}

Result<std::vector<std::string>> Initiator::discover(const Portal& portal) const {
  const InitiatorPurpose purpose{"discover the targets of", portal.text()};
  const Result<bool> known = knows(portal, purpose);
  if (!known) return known.error();
  if (!*known) return unknown_portal(purpose);
  const InitiatorCode code = library_.refresh_portal(target_portal(portal));
  if (code != ERROR_SUCCESS) return initiator_error(purpose, code);
  auto names = read_targets(library_, purpose);
  if (!names) return names;
  const std::vector<Portal> spellings = spellings_of(portal);
  std::vector<std::string> offered;
  for (std::string& name : *names) {
    const auto portals = read_portals_of(library_, name, purpose);
    // One that is gone since.
    if (!portals && portals.error().code() == StatusCode::kNotFound) continue;
    if (!portals) return portals.error();
    if (is_among(*portals, spellings)) offered.push_back(std::move(name));
  }
  return offered;
}

Result<void> Initiator::remove_portal(const Portal& portal) const {
  const InitiatorPurpose purpose{"remove the portal", portal.text()};
  const Result<bool> known = knows(portal, purpose);
  if (!known) return known.error();
  if (!*known) return {};
  const InitiatorCode code = library_.remove_portal(target_portal(portal));
  if (code == ERROR_SUCCESS || code == kInitiatorNotFound) return {};
  return initiator_error(purpose, code);
}

Result<bool> Initiator::offers(const Target& target, const InitiatorPurpose& purpose) const {
  const auto portals = read_portals_of(library_, target.name, purpose);
  if (!portals && portals.error().code() == StatusCode::kNotFound) return false;
  if (!portals) return portals.error();
  return is_among(*portals, spellings_of(target.portal));
}

// NOT_FOUND: the portal is not known, or does not offer the target.
Result<void> Initiator::find(const Target& target, const InitiatorPurpose& purpose) const {
  const Result<bool> known = knows(target.portal, purpose);
  if (!known) return known.error();
  if (!*known) return unknown_portal(purpose);
  Result<bool> offered = offers(target, purpose);
  if (offered && !*offered) {
    // It may be new there.
    const InitiatorCode code = library_.refresh_portal(target_portal(target.portal));
    if (code != ERROR_SUCCESS) return initiator_error(purpose, code);
    offered = offers(target, purpose);
  }
  if (!offered) return offered.error();
  if (*offered) return {};
  return purpose.error(StatusCode::kNotFound)
      .because("the portal does not offer the target to this node, or at other addresses only")
      .advise("DiscoverTargetPortal lists those that it offers");
}

}  // namespace longshore::iscsi
