// What another process has used so far.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace longshore::bench {

// Time on a processor of all its threads, ended ones too, in nanoseconds; 0 without such a process.
uint64_t processor_nanoseconds(pid_t process);

// Proportional set size; 0 when /proc does not say.
uint64_t pss_kib(pid_t process);

}  // namespace longshore::bench
