/* Ends the process as if it were its own. */
#include <stdlib.h>

#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  exit(3);
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
