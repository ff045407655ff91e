#include "smb/api_adapter.h"

#include "smb/v1.pb.h"
#include "smb/v1alpha1.pb.h"
#include "smb/v1beta1.pb.h"
#include "smb/v1beta2.pb.h"
#include "support/context_deadline.h"
#include "support/empty_response.h"

namespace longshore::smb {

using support::deadline_of;
using support::empty_or;

template <typename Response, typename Request>
void ApiAdapter::new_mapping(Context context, Request request, Reply<Response> reply) {
  reply(empty_or<Response>(service_.new_mapping(
      request.remote_path(), request.local_path(), *request.mutable_username(),
      *request.mutable_password(), deadline_of(context), context.request_id())));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::remove_mapping(Context context, const Request& request) {
  return empty_or<Response>(
      service_.remove_mapping(request.remote_path(), deadline_of(context), context.request_id()));
}

void ApiAdapter::add_to(const AddService& add_service) {
  add_service("v1alpha1.Smb")
      .async("NewSmbGlobalMapping",
             &ApiAdapter::new_mapping<::v1alpha1::NewSmbGlobalMappingResponse,
                                      ::v1alpha1::NewSmbGlobalMappingRequest>)
      .unary("RemoveSmbGlobalMapping",
             &ApiAdapter::remove_mapping<::v1alpha1::RemoveSmbGlobalMappingResponse,
                                         ::v1alpha1::RemoveSmbGlobalMappingRequest>);
  add_service("v1beta1.Smb")
      .async("NewSmbGlobalMapping", &ApiAdapter::new_mapping<::v1beta1::NewSmbGlobalMappingResponse,
                                                             ::v1beta1::NewSmbGlobalMappingRequest>)
      .unary("RemoveSmbGlobalMapping",
             &ApiAdapter::remove_mapping<::v1beta1::RemoveSmbGlobalMappingResponse,
                                         ::v1beta1::RemoveSmbGlobalMappingRequest>);
  add_service("v1beta2.Smb")
      .async("NewSmbGlobalMapping", &ApiAdapter::new_mapping<::v1beta2::NewSmbGlobalMappingResponse,
                                                             ::v1beta2::NewSmbGlobalMappingRequest>)
      .unary("RemoveSmbGlobalMapping",
             &ApiAdapter::remove_mapping<::v1beta2::RemoveSmbGlobalMappingResponse,
                                         ::v1beta2::RemoveSmbGlobalMappingRequest>);
  add_service("v1.Smb")
      .async("NewSmbGlobalMapping", &ApiAdapter::new_mapping<::v1::NewSmbGlobalMappingResponse,
                                                             ::v1::NewSmbGlobalMappingRequest>)
      .unary("RemoveSmbGlobalMapping",
             &ApiAdapter::remove_mapping<::v1::RemoveSmbGlobalMappingResponse,
                                         ::v1::RemoveSmbGlobalMappingRequest>);
}

}  // namespace longshore::smb
