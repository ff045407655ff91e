// What the service control manager's longer answers say: structures with pointers into the buffer
// that holds them. No count or pointer in them is believed before it was compared with the buffer.
//
// Threads: plain functions.
#pragma once

#include <windows.h>

#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "system/windows/service_control_manager.h"
#include "system/windows/service_error.h"

namespace longshore::system {

struct ServiceConfig {
  DWORD start_type = 0;
  std::string display_name;
};

Result<ServiceConfig> read_config(ServiceControlManager& manager, SC_HANDLE service,
                                  const ServicePurpose& purpose);

// The names of those that are not stopped and need the service.
Result<std::vector<std::string>> read_dependants(ServiceControlManager& manager, SC_HANDLE service,
                                                 const ServicePurpose& purpose);

}  // namespace longshore::system
