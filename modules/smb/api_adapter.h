// The wire versions of the smb group: from messages to the service and back.
//
// All four versions are served as v1: their requests are the same on the wire, and the text for an
// error that v1alpha1 and v1beta1 have in their responses stays empty.
//
// Threads: any number at once. Owner: outlives its calls; the service outlives it.
#pragma once

#include <functional>
#include <string>

#include "longshore/service.hpp"
#include "smb/smb_service.h"
#include "smb/v1.pb.h"

namespace longshore::smb {

class ApiAdapter {
 public:
  using Builder = ServiceBuilder<ApiAdapter>;
  using AddService = std::function<Builder(std::string name)>;

  explicit ApiAdapter(SmbService& service) : service_(service) {}

  // Registers every version's service: `add_service` is the module's, for this object.
  static void add_to(const AddService& add_service);

 private:
  // Takes the request over, so that what it holds can be wiped.
  Result<::v1::NewSmbGlobalMappingResponse> new_mapping(Context context,
                                                        ::v1::NewSmbGlobalMappingRequest request);
  Result<::v1::RemoveSmbGlobalMappingResponse> remove_mapping(
      Context context, const ::v1::RemoveSmbGlobalMappingRequest& request);

  SmbService& service_;
};

}  // namespace longshore::smb
