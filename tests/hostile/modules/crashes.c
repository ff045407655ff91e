/* Writes where nothing is, in the function that CRASH_IN names. */
#include "hostile.h"

static void crash(void) {
  int* volatile nowhere = NULL;
  *nowhere = 1;
}

static void start(void* self, longshore_call call, longshore_bytes settings,
                  longshore_bytes handover) {
  if (strcmp(CRASH_IN, "start") == 0) crash();
  start_well(self, call, settings, handover);
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  if (strcmp(CRASH_IN, "invoke") == 0) crash();
  invoke_well(self, call, method, request);
}

static void stop(void* self, longshore_call call) {
  if (strcmp(CRASH_IN, "stop") == 0) crash();
  stop_well(self, call);
}

static void destroy(void* self) {
  if (strcmp(CRASH_IN, "destroy") == 0) crash();
  destroy_well(self);
}

MODULE(start, invoke, stop, destroy);
