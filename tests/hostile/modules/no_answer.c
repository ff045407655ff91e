/* Finishes a unary call with OK and no answer. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  (void)method;
  (void)request;
  host->finish(host, call, 0, bytes_of(""));
}

MODULE(start_well, invoke, stop_well, destroy_well);
