// From the names of systemd's and the bus's errors to our codes and advice.
#pragma once

#include <string>

#include "longshore/result.hpp"
#include "system/linux/bus_purpose.h"

namespace longshore::system {

// The error that a method call was answered with: `name` as org.freedesktop.systemd1.NoSuchUnit.
Error systemd_error(const Purpose& purpose, const std::string& name, const std::string& message);

}  // namespace longshore::system
