// Names of services as callers write them, and as systemd does.
#pragma once

#include <string>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore::system {

// The unit of a service: "iscsid" and "iscsid.service" both give "iscsid.service".
// INVALID_ARGUMENT: the name is empty, too long, no unit name, a template without an instance, or
// that of another kind of unit (a mount, a socket, ...). `operation` completes "cannot ...".
Result<std::string> service_unit_name(std::string_view name, std::string_view operation);

// The same, but units of other kinds keep their names.
Result<std::string> any_unit_name(std::string_view name, std::string_view operation);

}  // namespace longshore::system
