#include "system/api_adapter.h"

#include "longshore/deadline.hpp"

namespace longshore::system {

namespace {

::v1alpha1::StartType wire(StartType type) {
  switch (type) {
    case StartType::kBoot:
      return ::v1alpha1::BOOT;
    case StartType::kSystem:
      return ::v1alpha1::SYSTEM;
    case StartType::kAutomatic:
      return ::v1alpha1::AUTOMATIC;
    case StartType::kManual:
      return ::v1alpha1::MANUAL;
    case StartType::kDisabled:
      break;
  }
  return ::v1alpha1::DISABLED;
}

::v1alpha1::ServiceStatus wire(ServiceStatus status) {
  switch (status) {
    case ServiceStatus::kStopped:
      return ::v1alpha1::STOPPED;
    case ServiceStatus::kStartPending:
      return ::v1alpha1::START_PENDING;
    case ServiceStatus::kStopPending:
      return ::v1alpha1::STOP_PENDING;
    case ServiceStatus::kRunning:
      return ::v1alpha1::RUNNING;
    case ServiceStatus::kContinuePending:
      return ::v1alpha1::CONTINUE_PENDING;
    case ServiceStatus::kPausePending:
      return ::v1alpha1::PAUSE_PENDING;
    case ServiceStatus::kPaused:
      return ::v1alpha1::PAUSED;
    case ServiceStatus::kUnknown:
      break;
  }
  return ::v1alpha1::UNKNOWN;
}

}  // namespace

void V1alpha1::add_to(ServiceBuilder<V1alpha1> service) {
  service.unary("GetBIOSSerialNumber", &V1alpha1::get_bios_serial_number)
      .unary("StartService", &V1alpha1::start_service)
      .unary("StopService", &V1alpha1::stop_service)
      .unary("GetService", &V1alpha1::get_service);
}

Result<::v1alpha1::GetBIOSSerialNumberResponse> V1alpha1::get_bios_serial_number(
    Context, const ::v1alpha1::GetBIOSSerialNumberRequest&) {
  const Result<std::string> serial_number = service_.bios_serial_number();
  if (!serial_number) return serial_number.error();
  ::v1alpha1::GetBIOSSerialNumberResponse response;
  response.set_serial_number(*serial_number);
  return response;
}

Result<::v1alpha1::StartServiceResponse> V1alpha1::start_service(
    Context context, const ::v1alpha1::StartServiceRequest& request) {
  const Result<void> started = service_.start_service(request.name(), deadline_of(context));
  if (!started) return started.error();
  return ::v1alpha1::StartServiceResponse();
}

Result<::v1alpha1::StopServiceResponse> V1alpha1::stop_service(
    Context context, const ::v1alpha1::StopServiceRequest& request) {
  const Result<void> stopped =
      service_.stop_service(request.name(), request.force(), deadline_of(context));
  if (!stopped) return stopped.error();
  return ::v1alpha1::StopServiceResponse();
}

Result<::v1alpha1::GetServiceResponse> V1alpha1::get_service(
    Context context, const ::v1alpha1::GetServiceRequest& request) {
  const Result<ServiceInfo> info = service_.get_service(request.name(), deadline_of(context));
  if (!info) return info.error();
  ::v1alpha1::GetServiceResponse response;
  response.set_display_name(info->display_name);
  response.set_start_type(wire(info->start_type));
  response.set_status(wire(info->status));
  return response;
}

}  // namespace longshore::system
