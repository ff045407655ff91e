/* Never comes back from stop. */
#include "hostile.h"

static void stop(void* self, longshore_call call) {
  (void)self;
  (void)call;
  hang();
}

MODULE(start_well, invoke_well, stop, destroy_well);
