// What the exit code of a process tells, for people.
#pragma once

#include <cstdint>
#include <string>

namespace longshore::supervise {

// Of a process that we have killed: ERROR_PROCESS_ABORTED.
inline constexpr uint32_t kKilledCode = 1067;

// "exited with code 3", "crashed with an access violation (0xC0000005)".
std::string exit_words(uint32_t code);

}  // namespace longshore::supervise
