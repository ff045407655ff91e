// The wire versions of the iscsi group: from messages to the service and back.
//
// v1alpha1 is served as v1alpha2, which has the same messages on the wire and one method more.
// Handlers that get a secret take the message over, so that no copy of the secret stays behind in
// it.
//
// Threads: any number at once. Owner: outlives its calls; the service outlives it.
#pragma once

#include <functional>
#include <string>

#include "iscsi/iscsi_service.h"
#include "iscsi/v1alpha2.pb.h"
#include "longshore/service.hpp"

namespace longshore::iscsi {

namespace wire = ::v1alpha2;

class ApiAdapter {
 public:
  using Builder = ServiceBuilder<ApiAdapter>;
  using AddService = std::function<Builder(std::string name)>;

  explicit ApiAdapter(IscsiService& service) : service_(service) {}

  // Registers every version's service: `add_service` is the module's, for this object.
  static void add_to(const AddService& add_service);

 private:
  Result<wire::AddTargetPortalResponse> add_portal(Context context,
                                                   const wire::AddTargetPortalRequest& request);
  Result<wire::DiscoverTargetPortalResponse> discover(
      Context context, const wire::DiscoverTargetPortalRequest& request);
  Result<wire::RemoveTargetPortalResponse> remove_portal(
      Context context, const wire::RemoveTargetPortalRequest& request);
  Result<wire::ListTargetPortalsResponse> list_portals(
      Context context, const wire::ListTargetPortalsRequest& request);
  Result<wire::ConnectTargetResponse> connect(Context context, wire::ConnectTargetRequest request);
  Result<wire::DisconnectTargetResponse> disconnect(Context context,
                                                    const wire::DisconnectTargetRequest& request);
  Result<wire::GetTargetDisksResponse> disks(Context context,
                                             const wire::GetTargetDisksRequest& request);
  Result<wire::SetMutualChapSecretResponse> set_mutual_secret(
      Context context, wire::SetMutualChapSecretRequest request);

  IscsiService& service_;
};

}  // namespace longshore::iscsi
