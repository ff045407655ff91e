/* Lets an exception out, as C++ code without the SDK's wrapper may. */
#include "hostile.h"

void throw_something(void);

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  throw_something();
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
