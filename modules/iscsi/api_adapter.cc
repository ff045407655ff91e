#include "iscsi/api_adapter.h"

#include <optional>
#include <string>

#include "iscsi/v1alpha1.pb.h"
#include "iscsi/v1alpha2.pb.h"
#include "support/context_deadline.h"
#include "support/empty_response.h"

namespace longshore::iscsi {

using support::empty_or;
using support::Secret;

namespace {

Caller caller_of(const Context& context) {
  return {support::deadline_of(context), context.request_id()};
}

// Nothing if the request has none: what csi-proxy falls over.
template <typename Request>
std::optional<PortalRequest> portal_of(const Request& request) {
  if (!request.has_target_portal()) return std::nullopt;
  return PortalRequest{request.target_portal().target_address(),
                       request.target_portal().target_port()};
}

}  // namespace

template <typename Response, typename Request>
Result<Response> ApiAdapter::add_portal(Context context, const Request& request) {
  return empty_or<Response>(service_.add_portal(portal_of(request), caller_of(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::discover(Context context, const Request& request) {
  const auto targets = service_.discover(portal_of(request), caller_of(context));
  if (!targets) return targets.error();
  Response response;
  for (const std::string& target : *targets) response.add_iqns(target);
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::remove_portal(Context context, const Request& request) {
  return empty_or<Response>(service_.remove_portal(portal_of(request), caller_of(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::list_portals(Context, const Request&) {
  const auto portals = service_.portals();
  if (!portals) return portals.error();
  Response response;
  for (const Portal& portal : *portals) {
    auto& entry = *response.add_target_portals();
    entry.set_target_address(portal.address);
    entry.set_target_port(portal.port);
  }
  return response;
}

template <typename Response, typename Request>
void ApiAdapter::connect(Context context, Request request, Reply<Response> reply) {
  const ConnectRequest plain{.portal = portal_of(request),
                             .target = request.iqn(),
                             .authentication = static_cast<int>(request.auth_type()),
                             .username = request.chap_username(),
                             .secret = Secret(*request.mutable_chap_secret())};
  reply(empty_or<Response>(service_.connect(plain, caller_of(context))));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::disconnect(Context context, const Request& request) {
  return empty_or<Response>(
      service_.disconnect(portal_of(request), request.iqn(), caller_of(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::disks(Context context, const Request& request) {
  const auto numbers = service_.disks(portal_of(request), request.iqn(), caller_of(context));
  if (!numbers) return numbers.error();
  Response response;
  for (const uint32_t number : *numbers) response.add_diskids(std::to_string(number));
  return response;
}

template <typename Response, typename Request>
void ApiAdapter::set_mutual_secret(Context, Request request, Reply<Response> reply) {
  reply(
      empty_or<Response>(service_.set_mutual_secret(Secret(*request.mutable_mutualchapsecret()))));
}

void ApiAdapter::add_to(const AddService& add_service) {
  add_v1alpha1(add_service("v1alpha1.Iscsi"));
  add_v1alpha2(add_service("v1alpha2.Iscsi"));
}

void ApiAdapter::add_v1alpha1(Builder service) {
  using namespace ::v1alpha1;
  service
      .unary("AddTargetPortal",
             &ApiAdapter::add_portal<AddTargetPortalResponse, AddTargetPortalRequest>)
      .unary("DiscoverTargetPortal",
             &ApiAdapter::discover<DiscoverTargetPortalResponse, DiscoverTargetPortalRequest>)
      .unary("RemoveTargetPortal",
             &ApiAdapter::remove_portal<RemoveTargetPortalResponse, RemoveTargetPortalRequest>)
      .unary("ListTargetPortals",
             &ApiAdapter::list_portals<ListTargetPortalsResponse, ListTargetPortalsRequest>)
      .async("ConnectTarget", &ApiAdapter::connect<ConnectTargetResponse, ConnectTargetRequest>)
      .unary("DisconnectTarget",
             &ApiAdapter::disconnect<DisconnectTargetResponse, DisconnectTargetRequest>)
      .unary("GetTargetDisks", &ApiAdapter::disks<GetTargetDisksResponse, GetTargetDisksRequest>);
}

void ApiAdapter::add_v1alpha2(Builder service) {
  using namespace ::v1alpha2;
  service
      .unary("AddTargetPortal",
             &ApiAdapter::add_portal<AddTargetPortalResponse, AddTargetPortalRequest>)
      .unary("DiscoverTargetPortal",
             &ApiAdapter::discover<DiscoverTargetPortalResponse, DiscoverTargetPortalRequest>)
      .unary("RemoveTargetPortal",
             &ApiAdapter::remove_portal<RemoveTargetPortalResponse, RemoveTargetPortalRequest>)
      .unary("ListTargetPortals",
             &ApiAdapter::list_portals<ListTargetPortalsResponse, ListTargetPortalsRequest>)
      .async("ConnectTarget", &ApiAdapter::connect<ConnectTargetResponse, ConnectTargetRequest>)
      .unary("DisconnectTarget",
             &ApiAdapter::disconnect<DisconnectTargetResponse, DisconnectTargetRequest>)
      .unary("GetTargetDisks", &ApiAdapter::disks<GetTargetDisksResponse, GetTargetDisksRequest>)
      .async(
          "SetMutualChapSecret",
          &ApiAdapter::set_mutual_secret<SetMutualChapSecretResponse, SetMutualChapSecretRequest>);
}

}  // namespace longshore::iscsi
