/* Forgets its calls, once it has said that it has them. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  (void)method;
  (void)request;
  host->log(host, LONGSHORE_LOG_INFO, call, bytes_of("has a call and forgets it"));
}

MODULE(start_well, invoke, stop_well, destroy_well);
