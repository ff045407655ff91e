/* Gets the signal that SIGNAL names in the middle of a call, as of a page that the disk does not
 * give, an instruction that there is not, a division by zero, or a forbidden system call. */
#include <signal.h>

#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  raise(SIGNAL);
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
