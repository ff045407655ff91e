/* Hangs for good when it is told to, as a thread does whose disk does not answer. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  if (request.size == 4 && memcmp(request.data, "hang", 4) == 0) {
    host->log(host, LONGSHORE_LOG_INFO, call, bytes_of("the call hangs"));
    hang();
  }
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
