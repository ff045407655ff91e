/* Blocks all signals on the thread that was lent to it. */
#include <signal.h>

#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
