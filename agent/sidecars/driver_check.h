// Whether a CSI driver answers, for `csi-sidecars --check`.
//
// Threads: one, which waits for the driver.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sidecars/check_report.h"

namespace longshore::sidecars {

// What the driver at the address calls itself, if it says so. It has to be ready within `patience`,
// as one whose container starts together with this may not be at once; and its name is waited for
// as long at most.
std::optional<std::string> check_driver(const std::string& address,
                                        std::chrono::milliseconds patience, CheckReport& report);

}  // namespace longshore::sidecars
