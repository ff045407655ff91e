// Whether the ports that the program is to listen on are free, and do not exclude each other, for
// `csi-sidecars --check`.
//
// Threads: any; a plain function.
#pragma once

#include "config/settings.h"
#include "sidecars/check_report.h"
#include "sidecars/command_line.h"

namespace longshore::sidecars {

// Those of metrics and of controllers' /healthz, a line each. `line` made the configuration.
void check_ports(const CommandLine& line, const config::Configuration& configuration,
                 CheckReport& report);

}  // namespace longshore::sidecars
