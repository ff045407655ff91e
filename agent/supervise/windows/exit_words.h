// What the exit code of a process tells, for people.
#pragma once

#include <cstdint>

#include "supervise/process_end.h"

namespace longshore::supervise {

// Of a process that we have killed: ERROR_PROCESS_ABORTED.
inline constexpr uint32_t kKilledCode = 1067;

// Its words: "exited with code 3", "crashed with an access violation (0xC0000005)".
ProcessEnd process_end_of(uint32_t code);

}  // namespace longshore::supervise
