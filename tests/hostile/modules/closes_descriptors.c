/* Closes what it never opened. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  for (int each = 0; each <= 100; ++each) close(each);
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
