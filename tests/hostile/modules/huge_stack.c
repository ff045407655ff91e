/* Uses more stack than any thread has. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  char block[256 << 20];
  for (size_t at = 0; at < sizeof(block); at += 4096) ((volatile char*)block)[at] = 1;
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
