// The backend of the system that this is built for. Defined for each, in linux/ and windows/.
#pragma once

#include <memory>

#include "longshore/result.hpp"
#include "longshore/settings.hpp"
#include "system/system_backend.h"

namespace longshore::system {

Result<std::unique_ptr<SystemBackend>> make_backend(const Settings& settings);

}  // namespace longshore::system
