// A flag as the option of a controller's that it sets: its name and its value.
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

// The sentence with the names of the controller's options as flags. One that is a plain word, such
// as "timeout", stays.
std::string with_flag_names(std::string_view doc, const config::ModuleSchema& schema);

// How --help calls the values of the option: "duration".
std::string_view type_name(config::OptionType type);

// INVALID_ARGUMENT tells the flag, the value, unless it is a secret, and what is expected.
Result<config::OptionValue> flag_value(const std::string& flag, const config::OptionSchema& option,
                                       const std::string& text);

}  // namespace longshore::sidecars
