/* Says why it does not start. */
#include "hostile.h"

static void start(void* self, longshore_call call, longshore_bytes settings,
                  longshore_bytes handover) {
  const longshore_host* host = self;
  (void)settings;
  (void)handover;
  host->finish(host, call, 9, bytes_of("the disk is on fire"));
}

MODULE(start, invoke_well, stop_well, destroy_well);
