// The backend for this system, from the module's settings: linux/make_backend.cc,
// windows/make_backend.cc.
#pragma once

#include <memory>

#include "disk/disk_backend.h"
#include "longshore/result.hpp"
#include "longshore/settings.hpp"

namespace longshore::disk {

// INVALID_ARGUMENT: a setting cannot be used.
Result<std::unique_ptr<DiskBackend>> make_backend(const Settings& settings);

}  // namespace longshore::disk
