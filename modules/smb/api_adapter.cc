#include "smb/api_adapter.h"

#include "longshore/deadline.hpp"
#include "support/bulkhead.h"
#include "support/empty_response.h"

namespace longshore::smb {
using support::Bulkhead;
using support::empty_or;

void ApiAdapter::add_to(const AddService& add_service) {
  add_service("v1.Smb")
      .also_as("v1beta2.Smb")
      .also_as("v1beta1.Smb")
      .also_as("v1alpha1.Smb")
      .unary("NewSmbGlobalMapping", &ApiAdapter::new_mapping)
      .unary("RemoveSmbGlobalMapping", &ApiAdapter::remove_mapping);
}

Result<::v1::NewSmbGlobalMappingResponse> ApiAdapter::new_mapping(
    Context context, ::v1::NewSmbGlobalMappingRequest request) {
  return empty_or<::v1::NewSmbGlobalMappingResponse>(service_.new_mapping(
      request.remote_path(), request.local_path(), *request.mutable_username(),
      *request.mutable_password(), deadline_of(context), context.request_id(), Bulkhead(context)));
}

Result<::v1::RemoveSmbGlobalMappingResponse> ApiAdapter::remove_mapping(
    Context context, const ::v1::RemoveSmbGlobalMappingRequest& request) {
  return empty_or<::v1::RemoveSmbGlobalMappingResponse>(
      service_.remove_mapping(request.remote_path(), deadline_of(context), context.request_id()));
}

}  // namespace longshore::smb
