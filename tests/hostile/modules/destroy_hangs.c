/* Never comes back from destroy. */
#include "hostile.h"

static void destroy(void* self) {
  (void)self;
  hang();
}

MODULE(start_well, invoke_well, stop_well, destroy);
