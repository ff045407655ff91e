// Readies longshored to tell of a crash of its own, and tells of the last one's.
//
// Threads: the first, while there is no other.
#pragma once

#include "config/settings.h"
#include "observe/log.h"

namespace longshore {

// The state directory is there, and this process has its lock.
void record_crashes(const config::AgentSettings& settings, observe::Log& log);

}  // namespace longshore
