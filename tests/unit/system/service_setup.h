// A service as the suite of the system group describes it.
#pragma once

#include <string>
#include <vector>

#include "system/system_service.h"

namespace longshore::system {

struct ServiceSetup {
  ServiceStatus status = ServiceStatus::kStopped;
  StartType start_type = StartType::kManual;
  std::vector<std::string> dependants = {};
  bool fails = false;  // it never starts
  bool hangs = false;  // starting and stopping never end
};

}  // namespace longshore::system
