/* Finishes a call and goes on using what is its own, as C++ code does when it leaves a scope. */
#include <stdlib.h>

#include "hostile.h"

static int* own;

static void invoke_late(void* self, longshore_call call, longshore_bytes method,
                        longshore_bytes request) {
  (void)method;
  (void)request;
  answer_with(self, call, "well");
  usleep(200000);
  if (!own || *own != 7) abort();
}

static void start_late(void* self, longshore_call call, longshore_bytes settings,
                       longshore_bytes handover) {
  own = malloc(sizeof(int));
  *own = 7;
  start_well(self, call, settings, handover);
}

static void destroy_late(void* self) {
  (void)self;
  *own = 0;
  free(own);
  own = NULL;
}

MODULE(start_late, invoke_late, stop_well, destroy_late);
