// The status as one HTML page, for people: no script, nothing loaded from elsewhere, light or dark
// as the browser is, readable on a phone. All texts are escaped: reasons and errors carry what
// clients sent.
#pragma once

#include <string>

#include "observe/status_report.h"

namespace longshore::observe {

std::string status_page(const StatusReport& report);

}  // namespace longshore::observe
