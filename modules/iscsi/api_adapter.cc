#include "iscsi/api_adapter.h"

#include <optional>
#include <string>

#include "longshore/deadline.hpp"
#include "support/bulkhead.h"
#include "support/empty_response.h"

namespace longshore::iscsi {

using support::empty_or;
using support::Secret;

namespace {

Caller caller_of(const Context& context) {
  return {deadline_of(context), context.request_id(), support::Bulkhead(context)};
}

// Nothing if the request has none: what csi-proxy falls over.
template <typename Request>
std::optional<PortalRequest> portal_of(const Request& request) {
  if (!request.has_target_portal()) return std::nullopt;
  return PortalRequest{request.target_portal().target_address(),
                       request.target_portal().target_port()};
}

}  // namespace

void ApiAdapter::add_to(const AddService& add_service) {
  add_service("v1alpha2.Iscsi")
      .unary("SetMutualChapSecret", &ApiAdapter::set_mutual_secret)
      .also_as("v1alpha1.Iscsi")
      .unary("AddTargetPortal", &ApiAdapter::add_portal)
      .unary("DiscoverTargetPortal", &ApiAdapter::discover)
      .unary("RemoveTargetPortal", &ApiAdapter::remove_portal)
      .unary("ListTargetPortals", &ApiAdapter::list_portals)
      .unary("ConnectTarget", &ApiAdapter::connect)
      .unary("DisconnectTarget", &ApiAdapter::disconnect)
      .unary("GetTargetDisks", &ApiAdapter::disks);
}

Result<wire::AddTargetPortalResponse> ApiAdapter::add_portal(
    Context context, const wire::AddTargetPortalRequest& request) {
  return empty_or<wire::AddTargetPortalResponse>(
      service_.add_portal(portal_of(request), caller_of(context)));
}

Result<wire::DiscoverTargetPortalResponse> ApiAdapter::discover(
    Context context, const wire::DiscoverTargetPortalRequest& request) {
  const auto targets = service_.discover(portal_of(request), caller_of(context));
  if (!targets) return targets.error();
  wire::DiscoverTargetPortalResponse response;
  for (const std::string& target : *targets) response.add_iqns(target);
  return response;
}

Result<wire::RemoveTargetPortalResponse> ApiAdapter::remove_portal(
    Context context, const wire::RemoveTargetPortalRequest& request) {
  return empty_or<wire::RemoveTargetPortalResponse>(
      service_.remove_portal(portal_of(request), caller_of(context)));
}

Result<wire::ListTargetPortalsResponse> ApiAdapter::list_portals(
    Context, const wire::ListTargetPortalsRequest&) {
  const auto portals = service_.portals();
  if (!portals) return portals.error();
  wire::ListTargetPortalsResponse response;
  for (const Portal& portal : *portals) {
    auto& entry = *response.add_target_portals();
    entry.set_target_address(portal.address);
    entry.set_target_port(portal.port);
  }
  return response;
}

Result<wire::ConnectTargetResponse> ApiAdapter::connect(Context context,
                                                        wire::ConnectTargetRequest request) {
  const ConnectRequest plain{.portal = portal_of(request),
                             .target = request.iqn(),
                             .authentication = static_cast<int>(request.auth_type()),
                             .username = request.chap_username(),
                             .secret = Secret(*request.mutable_chap_secret())};
  return empty_or<wire::ConnectTargetResponse>(service_.connect(plain, caller_of(context)));
}

Result<wire::DisconnectTargetResponse> ApiAdapter::disconnect(
    Context context, const wire::DisconnectTargetRequest& request) {
  return empty_or<wire::DisconnectTargetResponse>(
      service_.disconnect(portal_of(request), request.iqn(), caller_of(context)));
}

Result<wire::GetTargetDisksResponse> ApiAdapter::disks(Context context,
                                                       const wire::GetTargetDisksRequest& request) {
  const auto numbers = service_.disks(portal_of(request), request.iqn(), caller_of(context));
  if (!numbers) return numbers.error();
  wire::GetTargetDisksResponse response;
  for (const uint32_t number : *numbers) response.add_diskids(std::to_string(number));
  return response;
}

Result<wire::SetMutualChapSecretResponse> ApiAdapter::set_mutual_secret(
    Context, wire::SetMutualChapSecretRequest request) {
  return empty_or<wire::SetMutualChapSecretResponse>(
      service_.set_mutual_secret(Secret(*request.mutable_mutualchapsecret())));
}

}  // namespace longshore::iscsi
