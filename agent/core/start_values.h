// What the configuration says of a module, in the terms of its instance.
#pragma once

#include <string>

#include "config/settings.h"
#include "loader/instance.h"
#include "longshore/result.hpp"

namespace longshore::core {

loader::InstanceOptions instance_options(const config::ModuleSettings& settings);

// The serialised longshore.module.v1.Settings for `start`. Makes the instance's own folder below
// `state_dir`. An error where that cannot be had: a module that works without would forget what it
// had begun. `are_flags`: by which the module's texts call its options.
Result<std::string> settings_message(const config::ModuleSettings& settings,
                                     const std::string& state_dir, bool are_flags);

}  // namespace longshore::core
