/* Never comes back from start. */
#include "hostile.h"

static void start(void* self, longshore_call call, longshore_bytes settings,
                  longshore_bytes handover) {
  (void)self;
  (void)call;
  (void)settings;
  (void)handover;
  hang();
}

MODULE(start, invoke_well, stop_well, destroy_well);
