/* Says what each call would hang on, the text behind its colon, and hangs unless it is told not to.
 */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  const char* colon = memchr(request.data, ':', request.size);
  longshore_bytes key = {colon, 0};
  (void)method;
  if (colon) {
    key.data = colon + 1;
    key.size = request.size - (uint64_t)(colon + 1 - (const char*)request.data);
  }
  if (host->set_bulkhead(host, call, key) == LONGSHORE_REFUSED) {
    host->finish(host, call, 14, bytes_of("not again"));
    return;
  }
  hang();
}

MODULE(start_well, invoke, stop_well, destroy_well);
