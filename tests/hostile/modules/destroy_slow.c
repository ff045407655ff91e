/* Needs longer for its destroy than the agent gives it after the deadline of the stop. */
#include "hostile.h"

static void destroy_slow(void* self) {
  (void)self;
  sleep(3);
}

MODULE(start_well, invoke_well, stop_well, destroy_slow);
