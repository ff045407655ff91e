#include <fcntl.h>

#include "observe/close_on_exec.h"

namespace longshore::observe {

void close_on_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

}  // namespace longshore::observe
