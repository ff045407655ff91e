/* Spoils the heap, so that malloc ends the process while it holds its lock. */
#include <stdlib.h>

#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  /* Past what is cached by thread, and small enough for the heap: behind the last such block is
   * what is left of it, whose size is spoilt. */
  volatile size_t written = 4000 + 64; /* which the compiler does not compare with the block */
  for (int i = 0; i < 4096; ++i) {
    char* const block = malloc(4000);
    if (block) memset(block, 0xff, written);
  }
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
