/* Sends a second answer to a unary call, and says OK. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  (void)method;
  (void)request;
  host->send(host, call, bytes_of("first"));
  if (host->send(host, call, bytes_of("second")) != LONGSHORE_REFUSED) hang();
  host->finish(host, call, 0, bytes_of(""));
}

MODULE(start_well, invoke, stop_well, destroy_well);
