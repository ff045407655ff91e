/* Forgets its calls. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  (void)self;
  (void)call;
  (void)method;
  (void)request;
}

MODULE(start_well, invoke, stop_well, destroy_well);
