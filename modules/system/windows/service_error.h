// What the service control manager's codes mean to a caller.
//
// Threads: plain values.
#pragma once

#include <windows.h>

#include <string>

#include "longshore/result.hpp"

namespace longshore::system {

// What is done to which service, for errors.
struct ServicePurpose {
  const char* operation;  // completes "cannot ..."
  std::string service;

  Error error(StatusCode code) const { return {code, operation, service}; }
};

Error service_error(const ServicePurpose& purpose, DWORD code);

// Why a service that was started has stopped, by the codes that it left.
Error start_failure(const ServicePurpose& purpose, const SERVICE_STATUS_PROCESS& status);

}  // namespace longshore::system
