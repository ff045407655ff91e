// The log that a configuration asks for.
#pragma once

#include "config/settings.h"
#include "observe/log.h"

namespace longshore::core {

observe::LogOptions log_options(const config::LogSettings& settings);

}  // namespace longshore::core
