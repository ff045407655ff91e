#include <windows.h>

#include "observe/close_on_exec.h"

namespace longshore::observe {

void close_on_exec(intptr_t descriptor) {
  SetHandleInformation(reinterpret_cast<HANDLE>(descriptor), HANDLE_FLAG_INHERIT, 0);
}

}  // namespace longshore::observe
