/* Takes memory without end. */
#include <stdlib.h>

#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  for (;;) {
    char* block = malloc(1 << 20);
    if (!block) abort();
    memset(block, 1, 1 << 20);
  }
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
