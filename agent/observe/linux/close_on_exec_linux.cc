#include <fcntl.h>

#include "observe/close_on_exec.h"

namespace longshore::observe {

void close_on_exec(intptr_t descriptor) {
  ::fcntl(static_cast<int>(descriptor), F_SETFD, FD_CLOEXEC);
}

}  // namespace longshore::observe
