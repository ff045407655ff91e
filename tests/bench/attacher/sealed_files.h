// Memory of a process that its PSS does not tell: modules are loaded from sealed files in memory,
// of which pages are held that nobody has mapped.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace longshore::bench {

// 0 when /proc does not say.
size_t unmapped_kib(pid_t process);

}  // namespace longshore::bench
