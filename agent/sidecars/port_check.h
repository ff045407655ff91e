// Whether the ports that the program is to listen on are free, for `csi-sidecars --check`.
//
// Threads: any; a plain function.
#pragma once

#include "config/settings.h"
#include "sidecars/check_report.h"

namespace longshore::sidecars {

// Those of metrics and of controllers' /healthz, a line each.
void check_ports(const config::Configuration& configuration, CheckReport& report);

}  // namespace longshore::sidecars
