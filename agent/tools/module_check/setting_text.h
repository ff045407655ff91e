// Settings as they are written on the command line: "capacity=5".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longshore/module/v1.pb.h"
#include "longshore/result.hpp"
#include "longshore/testing/options.hpp"

namespace longshore::module_check {

// Values by the types that the description gives the options; "a,b" for a list of strings, "1.5s"
// for a duration. Whether a value is allowed is for the host to say.
Result<std::map<std::string, testing::SettingValue>> parse_settings(
    const std::vector<std::string>& texts, const std::vector<module::v1::Option>& options);

}  // namespace longshore::module_check
