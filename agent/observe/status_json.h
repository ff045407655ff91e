// The status as one JSON object, for programs. What the fields mean is in observe/status_report.h;
// times are in milliseconds.
#pragma once

#include <string>

#include "observe/status_report.h"

namespace longshore::observe {

std::string status_json(const StatusReport& report);

}  // namespace longshore::observe
