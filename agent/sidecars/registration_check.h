// Whether the folder is there in which drivers are registered with the kubelet, for
// `csi-sidecars --check`.
//
// Threads: any; a plain function.
#pragma once

#include <map>
#include <string>

#include "config/settings.h"
#include "sidecars/check_report.h"

namespace longshore::sidecars {

// That of each enabled controller that has the option plugin_registration_path, in the words of a
// start. `drivers`: what drivers call themselves, by their addresses; those that have told it.
void check_registration(const config::Configuration& configuration,
                        const std::map<std::string, std::string>& drivers, CheckReport& report);

}  // namespace longshore::sidecars
