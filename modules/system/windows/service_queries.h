// Asks the service control manager for its longer answers, with as much room as they need, and has
// them read by service_answers.h.
//
// Threads: plain functions.
#pragma once

#include <windows.h>

#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "system/windows/service_answers.h"
#include "system/windows/service_control_manager.h"
#include "system/windows/service_error.h"

namespace longshore::system {

Result<ServiceConfig> read_config(ServiceControlManager& manager, SC_HANDLE service,
                                  const ServicePurpose& purpose);

// The names of those that are not stopped and need the service.
Result<std::vector<std::string>> read_dependants(ServiceControlManager& manager, SC_HANDLE service,
                                                 const ServicePurpose& purpose);

}  // namespace longshore::system
