// What another process has used so far, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace longshore::bench {

// Time on a processor of all its threads that still live, in nanoseconds.
uint64_t processor_nanoseconds(pid_t process);

// Proportional set size; 0 when /proc does not say.
uint64_t pss_kib(pid_t process);

}  // namespace longshore::bench
