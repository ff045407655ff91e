// The machine's serial number from sysfs.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::system {

// From the DMI table, or the device tree where there is no DMI. `sysfs` is "/sys", or a tree of a
// test's own. NOT_FOUND: neither has one. PERMISSION_DENIED: only root may read it.
Result<std::string> read_bios_serial(const std::string& sysfs);

}  // namespace longshore::system
