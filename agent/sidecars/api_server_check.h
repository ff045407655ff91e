// Whether the API server answers and allows what the controllers ask of it, for
// `csi-sidecars --check`. Nothing is changed there: it makes reviews of access, reads leases, and
// asks whether one could be made (a dry run).
//
// Threads: one, which is the loop's until all is answered. Each answer is waited for 10 seconds.
#pragma once

#include <map>
#include <string>

#include "config/loaded.h"
#include "kube/api_loop.h"
#include "sidecars/check_report.h"

namespace longshore::sidecars {

// What drivers call themselves, by their addresses; those that have told it.
using DriverNames = std::map<std::string, std::string>;

// Whether an enabled controller needs it, for its own work or for its lease.
bool asks_api_server(const config::Configuration& configuration);

void check_api_server(kube::ApiLoop& loop, const config::Loaded& loaded, const DriverNames& drivers,
                      CheckReport& report);

}  // namespace longshore::sidecars
