// The wire version of the system group: from messages to the service and back.
//
// Threads: any number at once. Owner: outlives its calls; the service outlives it.
#pragma once

#include "longshore/service.hpp"
#include "system/system_service.h"
#include "system/v1alpha1.pb.h"

namespace longshore::system {

class V1alpha1 {
 public:
  explicit V1alpha1(const SystemService& service) : service_(service) {}

  // Registers the service "v1alpha1.System".
  static void add_to(ServiceBuilder<V1alpha1> service);

 private:
  Result<::v1alpha1::GetBIOSSerialNumberResponse> get_bios_serial_number(
      Context context, const ::v1alpha1::GetBIOSSerialNumberRequest& request);
  Result<::v1alpha1::StartServiceResponse> start_service(
      Context context, const ::v1alpha1::StartServiceRequest& request);
  Result<::v1alpha1::StopServiceResponse> stop_service(
      Context context, const ::v1alpha1::StopServiceRequest& request);
  Result<::v1alpha1::GetServiceResponse> get_service(Context context,
                                                     const ::v1alpha1::GetServiceRequest& request);

  const SystemService& service_;
};

}  // namespace longshore::system
