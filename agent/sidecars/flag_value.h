// The value of a flag as the option of a controller's that it sets.
//
// Threads: any; plain functions.
#pragma once

#include <string>
#include <string_view>

#include "config/module_catalog.h"
#include "longshore/result.hpp"

namespace longshore::sidecars {

// "probe_timeout" is "probe-timeout".
std::string flag_name(std::string_view option);

// How --help calls the values of the option: "duration".
std::string_view type_name(config::OptionType type);

// INVALID_ARGUMENT tells the flag, the value, unless it is a secret, and what is expected.
Result<config::OptionValue> flag_value(const std::string& flag, const config::OptionSchema& option,
                                       const std::string& text);

}  // namespace longshore::sidecars
