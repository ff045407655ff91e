/* Hangs for good when it is told to, as a thread does whose disk does not answer. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  if (request.size == 4 && memcmp(request.data, "hang", 4) == 0) hang();
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
