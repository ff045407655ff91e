/* Ends calls with a code that no status has: the first byte of the request, less 64. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  const signed char* bytes = request.data;
  (void)method;
  host->finish(host, call, bytes[0] - 64, bytes_of("out of this world"));
}

MODULE(start_well, invoke, stop_well, destroy_well);
