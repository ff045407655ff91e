// The log as a crash handler has it: apart from the agent's, whose locks the crashed thread may
// hold.
//
// Threads: any; a plain function.
#pragma once

#include "config/settings.h"

namespace longshore {

// A descriptor for appending, which stays open; -1: the file cannot be opened.
int open_crash_log(const config::LogSettings& settings);

}  // namespace longshore
