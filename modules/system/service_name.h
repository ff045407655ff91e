// Names of services as callers write them, and as this system knows them: on Linux the names of
// systemd's units, on Windows those that the service control manager goes by (not what it
// displays).
//
// Defined for each system, in linux/ and windows/.
#pragma once

#include <string>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore::system {

// The whole name of a service. On Linux that of its unit: "iscsid" and "iscsid.service" both give
// "iscsid.service"; on Windows the name as it is. INVALID_ARGUMENT for what names no service; on
// Linux that includes units of other kinds (a mount, a socket, ...). `operation` completes
// "cannot ...".
Result<std::string> service_name(std::string_view name, std::string_view operation);

// The same for whatever may need a service and be stopped with it: on Linux units of other kinds,
// by their whole names.
Result<std::string> dependant_name(std::string_view name, std::string_view operation);

// What all spellings of a name have in common, for comparison: on Windows letter case counts for
// nothing.
std::string comparable_name(std::string_view name);

}  // namespace longshore::system
