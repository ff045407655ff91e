/* Ends the thread that was lent to it. */
#include <pthread.h>

#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  pthread_exit(NULL);
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
