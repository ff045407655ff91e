// What the service control manager keeps of the service beside its command line: the description,
// restarts after a failure, and the late start.
//
// Threads: plain functions.
#pragma once

#include <windows.h>

#include <functional>
#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::ctl {

// ChangeServiceConfig2W for a service: a level and its structure. Answers with the system's code.
using ChangeServiceSetting = std::function<DWORD(DWORD level, void* setting)>;

// Sets them all, and tells of those that this Windows does not know, for people: the service works
// without. Any other refusal is an error, after what could be set is set; the first one is told.
Result<std::vector<std::string>> set_service_settings(const ChangeServiceSetting& change);

}  // namespace longshore::ctl
