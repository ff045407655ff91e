/* Uses more stack than any thread has, page by page. */
#include "hostile.h"

static char fill(unsigned depth) {
  volatile char page[4096];
  page[0] = (char)depth;
  return depth == 0 ? page[0] : (char)(fill(depth - 1) + page[0]);
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const char sum = fill(1U << 20);
  (void)sum;
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
